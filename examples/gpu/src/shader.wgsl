// Boxes and letters, each as one instance of four corners.

struct Sizes {
    // The picture, in pixels.
    picture: vec2f,
    // A letter of the atlas, in pixels.
    letter: vec2f,
    // The height of a box, in pixels.
    height: f32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var atlas: texture_2d<f32>;

struct Corner {
    @builtin(position) at: vec4f,
    @location(0) @interpolate(flat) color: vec4f,
    // Of a box its left and its right edge, of a letter its upper left corner, in pixels of the picture.
    @location(1) @interpolate(flat) place: vec2f,
    @location(2) @interpolate(flat) letter: u32,
}

// From pixels of the picture to the coordinates of the GPU, which go up.
fn to_clip(pixel: vec2f) -> vec4f {
    return vec4f(pixel.x / sizes.picture.x * 2.0 - 1.0, 1.0 - pixel.y / sizes.picture.y * 2.0, 0.0, 1.0);
}

fn corner_of(index: u32) -> vec2f {
    return vec2f(f32(index & 1u), f32(index >> 1u));
}

@vertex
fn box_corner(
    @builtin(vertex_index) index: u32,
    @location(0) edges: vec2f,
    @location(1) top: u32,
    @location(2) color: vec4f,
) -> Corner {
    let corner = corner_of(index);
    // All pixels that the box touches. The colour says how much of each it covers.
    let x = mix(floor(edges.x), ceil(edges.y), corner.x);
    return Corner(to_clip(vec2f(x, f32(top) + corner.y * sizes.height)), color, edges, 0u);
}

@fragment
fn box_color(corner: Corner) -> @location(0) vec4f {
    let left = max(corner.place.x, corner.at.x - 0.5);
    let right = min(corner.place.y, corner.at.x + 0.5);
    return vec4f(corner.color.rgb, corner.color.a * clamp(right - left, 0.0, 1.0));
}

@vertex
fn letter_corner(
    @builtin(vertex_index) index: u32,
    @location(0) place: vec2f,
    @location(1) letter: u32,
    @location(2) color: vec4f,
) -> Corner {
    return Corner(to_clip(place + corner_of(index) * sizes.letter), color, place, letter);
}

@fragment
fn letter_color(corner: Corner) -> @location(0) vec4f {
    let inside = vec2u(floor(corner.at.xy - corner.place));
    let pixel = inside + vec2u(corner.letter * u32(sizes.letter.x), 0u);
    return vec4f(corner.color.rgb, corner.color.a * textureLoad(atlas, pixel, 0).r);
}

//! Draws a [`Picture`] off-screen.

use std::error::Error;

use wgpu::util::{BufferInitDescriptor, DeviceExt, TextureDataOrder};
use zerocopy::IntoBytes;

use crate::{Picture, STYLE, letters};

/// Colours are blended as they are, as in the other pictures.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A device and the pipelines for boxes and letters.
pub struct Gpu {
    name: String,
    device: wgpu::Device,
    queue: wgpu::Queue,
    boxes: wgpu::RenderPipeline,
    letters: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
}

impl Gpu {
    /// Opens the driver that draws without a GPU, because it draws the same everywhere, or any other one.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let software = wgpu::RequestAdapterOptions { force_fallback_adapter: true, ..Default::default() };
        let adapter = pollster::block_on(instance.request_adapter(&software))
            .or_else(|_| pollster::block_on(instance.request_adapter(&Default::default())))?;
        let limits = wgpu::Limits::downlevel_defaults().using_resolution(adapter.limits());
        let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;

        let shader = device.create_shader_module(wgpu::include_wgsl!("shader.wgsl"));
        let entry =
            |binding, visibility, ty| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
        let sizes = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let atlas = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                entry(0, wgpu::ShaderStages::VERTEX_FRAGMENT, sizes),
                entry(1, wgpu::ShaderStages::FRAGMENT, atlas),
            ],
        });
        let pipeline = |vertex, fragment| pipeline(&device, &shader, &layout, vertex, fragment);
        let (boxes, letters) =
            (pipeline("box_corner", "box_color"), pipeline("letter_corner", "letter_color"));
        Ok(Self { name: adapter.get_info().name, device, queue, boxes, letters, layout })
    }

    /// Returns the name of the GPU, or of the driver that does without.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the largest width and height of a picture.
    pub fn max_size(&self) -> u32 {
        self.device.limits().max_texture_dimension_2d
    }

    /// Draws a picture. Returns its pixels as red, green, blue and alpha, row by row.
    pub fn draw(&self, picture: &Picture) -> Result<Vec<u8>, Box<dyn Error>> {
        let target = self.device.create_texture(&texture(
            picture.width,
            picture.height,
            FORMAT,
            wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        ));
        let bind_group = self.bind_group(picture);
        let (boxes, letters) =
            (self.instances(picture.boxes.as_bytes()), self.instances(picture.letters.as_bytes()));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let load = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::WHITE), ..Default::default() };
        let view = target.create_view(&Default::default());
        let color = wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: load,
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(color)],
            ..Default::default()
        });
        pass.set_bind_group(0, &bind_group, &[]);
        // Two draw calls for the whole picture.
        for (pipeline, buffer, count) in
            [(&self.boxes, &boxes, picture.boxes.len()), (&self.letters, &letters, picture.letters.len())]
        {
            pass.set_pipeline(pipeline);
            pass.set_vertex_buffer(0, buffer.slice(..));
            pass.draw(0..4, 0..u32::try_from(count)?);
        }
        drop(pass);
        self.read(encoder, &target)
    }

    /// Makes a vertex buffer. An empty one is not allowed.
    fn instances(&self, bytes: &[u8]) -> wgpu::Buffer {
        let contents = if bytes.is_empty() { &[0; 16] } else { bytes };
        let usage = wgpu::BufferUsages::VERTEX;
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
    }

    /// Binds the sizes and the atlas of letters.
    fn bind_group(&self, picture: &Picture) -> wgpu::BindGroup {
        let (width, height) = (picture.width as f32, picture.height as f32);
        let row = STYLE.row as f32 - 1.0;
        // As the shader declares them. The size of a uniform is a multiple of 8 bytes.
        let sizes = [width, height, letters::WIDTH as f32, letters::HEIGHT as f32, row, 0.0];
        let (contents, usage) = (sizes.as_bytes(), wgpu::BufferUsages::UNIFORM);
        let sizes = self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage });
        let width = letters::count() * letters::WIDTH;
        let usage = wgpu::TextureUsages::TEXTURE_BINDING;
        let atlas = texture(width, letters::HEIGHT, wgpu::TextureFormat::R8Unorm, usage);
        let pixels = letters::atlas();
        let atlas =
            self.device.create_texture_with_data(&self.queue, &atlas, TextureDataOrder::LayerMajor, &pixels);
        let view = atlas.create_view(&Default::default());
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: sizes.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&view) },
            ],
        })
    }

    /// Copies a texture into memory.
    fn read(
        &self,
        mut encoder: wgpu::CommandEncoder,
        target: &wgpu::Texture,
    ) -> Result<Vec<u8>, Box<dyn Error>> {
        let (row, height) = (4 * target.width(), target.height());
        // The rows of a copy begin at multiples of 256 bytes.
        let stride = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(stride) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: None };
        let copy = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(target.as_image_copy(), copy, target.size());
        self.queue.submit([encoder.finish()]);
        buffer.map_async(wgpu::MapMode::Read, .., |_| {});
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        let mapped = buffer.get_mapped_range(..)?;
        Ok(mapped.chunks(stride as usize).flat_map(|line| &line[..row as usize]).copied().collect())
    }
}

/// Describes a texture without mipmaps.
fn texture(
    width: u32,
    height: u32,
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::TextureDescriptor<'static> {
    wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    }
}

/// Makes a pipeline whose instances are of 16 bytes: two floats, an integer and a colour.
fn pipeline(
    device: &wgpu::Device,
    shader: &wgpu::ShaderModule,
    layout: &wgpu::BindGroupLayout,
    vertex: &str,
    fragment: &str,
) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &[Some(layout)],
        ..Default::default()
    });
    let instances = wgpu::VertexBufferLayout {
        array_stride: 16,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &wgpu::vertex_attr_array![0 => Float32x2, 1 => Uint32, 2 => Unorm8x4],
    };
    let target = wgpu::ColorTargetState {
        format: FORMAT,
        blend: Some(wgpu::BlendState::ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some(vertex),
            compilation_options: Default::default(),
            buffers: &[Some(instances)],
        },
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            ..Default::default()
        },
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: shader,
            entry_point: Some(fragment),
            compilation_options: Default::default(),
            targets: &[Some(target)],
        }),
        multiview_mask: None,
        cache: None,
    })
}

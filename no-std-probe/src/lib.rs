//! Fails to build when any library brings in std: the panic handler below would be there twice.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

use core::panic::PanicInfo;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

/// The alloc tier does not build without an allocator.
#[cfg(feature = "alloc")]
#[global_allocator]
static ALLOCATOR: emballoc::Allocator<4096> = emballoc::Allocator::new();

/// Uses every crate, as a dependency that no code names is not looked at.
pub fn probe() -> usize {
    let data: &[u8] = b"[{}]";
    let format = spall_trace::detect(data).is_some();
    #[cfg(feature = "alloc")]
    let format = format && spall_trace::load(data).is_ok();
    usize::from(format)
}

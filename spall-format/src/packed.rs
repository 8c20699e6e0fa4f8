//! The fixed parts of records, as they stand in files.

/// Numbers that stand behind one another in a file, without padding. [`packed!`] declares such a struct.
pub(crate) trait Packed: Sized {
    /// The length in bytes.
    const SIZE: usize;
    /// An array of that length.
    type Bytes: AsRef<[u8]>;

    /// Returns the numbers at the start of `data`, or `None` if it ends before.
    fn read(data: &[u8]) -> Option<Self>;

    /// Returns the numbers as they stand in the file.
    fn to_bytes(&self) -> Self::Bytes;
}

/// Declares structs that are [`Packed`], each with its length in bytes. The names in front are those of the methods that
/// convert numbers from and to the byte order of the file.
macro_rules! packed {
    ($from:ident, $to:ident: $(
        $(#[$of_struct:meta])*
        $name:ident[$size:literal] { $($(#[$of_field:meta])* $field:ident: $number:ty,)+ }
    )+) => {$(
        const _: () = assert!($size == 0 $(+ size_of::<$number>())+);

        $(#[$of_struct])*
        #[derive(Debug, Clone, Copy)]
        pub(super) struct $name { $($(#[$of_field])* pub(super) $field: $number,)+ }

        impl crate::packed::Packed for $name {
            const SIZE: usize = $size;
            type Bytes = [u8; $size];

            #[inline]
            fn read(data: &[u8]) -> Option<Self> {
                let rest: &[u8] = data.first_chunk::<$size>()?;
                $(let ($field, rest) = rest.split_first_chunk()?;)+
                let _: &[u8] = rest;
                Some(Self { $($field: <$number>::$from(*$field),)+ })
            }

            #[inline]
            fn to_bytes(&self) -> Self::Bytes {
                let mut bytes = [0; $size];
                let rest = &mut bytes[..];
                $(let (into, rest) = rest.split_at_mut(size_of::<$number>());
                into.copy_from_slice(&self.$field.$to());)+
                let _ = rest;
                bytes
            }
        }
    )+};
}
pub(crate) use packed;

//! The methods and traits that all ids of this crate have.

/// Gives a newtype of `u32` the methods and traits that every [`DenseId`](spall_model::DenseId) has.
macro_rules! dense_id {
    ($id:ident) => {
        impl $id {
            /// Returns the id with the number `index`.
            ///
            /// A number of 2³² − 1 or more becomes 2³² − 1, which is the id of nothing.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            /// Returns the number of the id, as a position in a list.
            #[inline]
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl spall_model::DenseId for $id {
            #[inline]
            fn from_number(number: u32) -> Self {
                Self(number)
            }

            #[inline]
            fn number(self) -> u32 {
                self.0
            }
        }

        impl core::fmt::Display for $id {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

pub(crate) use dense_id;

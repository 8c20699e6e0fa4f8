//! Tables whose rows are spread over columns, and tables of rows.

use alloc::vec::Vec;

use spall_model::Text;

use crate::decimal::Nanos;
use crate::lexer::{self, Token};
use crate::outline::Part;
use crate::scalar;

/// A value in a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) token: Token,
}

impl<'a> Cell<'a> {
    /// Returns whether the cell is `null` or the table does not have it.
    pub(crate) fn is_null(self) -> bool {
        self.token.end == 0 || self.token.is_null(self.data)
    }

    /// Returns a row of another table.
    pub(crate) fn index(self) -> Option<u32> {
        self.token.whole().and_then(|index| u32::try_from(index).ok()).filter(|&index| index != NONE)
    }

    /// Returns a decimal number of a unit of time, which [`Nanos::from_any`] describes.
    pub(crate) fn time(self, thousands: i32) -> Option<Nanos> {
        scalar::time(self.data, self.token, thousands)
    }

    /// Returns a finite number.
    pub(crate) fn number(self) -> Option<f64> {
        scalar::float(self.token.bytes(self.data))
    }

    /// Returns a text, and the empty text for anything else.
    pub(crate) fn text(self) -> Text<'a> {
        scalar::text(self.data, self.token)
    }

    /// Returns the range of the cell in the data.
    pub(crate) fn bytes(self) -> (usize, usize) {
        (self.token.start, self.token.end)
    }
}

/// The rows of a table, as cells of some of its columns. The first column is the one that says how many rows there are.
#[derive(Debug)]
pub(crate) struct Rows<'a, const N: usize> {
    data: &'a [u8],
    layout: Layout<N>,
    row: [Cell<'a>; N],
}

#[derive(Debug)]
enum Layout<const N: usize> {
    /// The positions in arrays that are read side by side.
    Columns([Option<usize>; N]),
    /// The position in an array of rows, and the number of each column in a row.
    Rows(usize, [Option<u32>; N]),
}

impl<'a, const N: usize> Rows<'a, N> {
    /// Returns the rows of a table. Columns that it does not have are `null`.
    pub(crate) fn new(table: Part<'_, 'a>, columns: [&str; N]) -> Self {
        let data = table.data();
        let inside = |part: Part<'_, 'a>| Some(part.value() + 1).filter(|at| data.get(at - 1) == Some(&b'['));
        let layout = match (table.get("schema"), table.get("data").and_then(inside)) {
            (Some(schema), Some(rows)) => {
                let number = |column| {
                    let token = schema.get(column)?.token()?;
                    Cell { data, token }.index()
                };
                Layout::Rows(rows, columns.map(number))
            }
            _ => Layout::Columns(columns.map(|column| table.get(column).and_then(inside))),
        };
        Self { data, layout, row: [Cell { data, token: Token::EMPTY }; N] }
    }

    /// Returns the rows as numbers of rows of other tables, [`NONE`] where there is none.
    pub(crate) fn indices(mut self) -> [Vec<u32>; N] {
        let data = self.data;
        let mut columns = [const { Vec::new() }; N];
        if let Layout::Columns(positions) = self.layout {
            let mut length = None;
            for (column, pos) in columns.iter_mut().zip(positions) {
                if let Some(mut pos) = pos {
                    let items = core::iter::from_fn(|| lexer::next_item(data, &mut pos));
                    let index = |token| Cell { data, token }.index().unwrap_or(NONE);
                    column.extend(items.take(length.unwrap_or(usize::MAX)).map(index));
                }
                let length = *length.get_or_insert(column.len());
                column.resize(length, NONE);
            }
            return columns;
        }
        while let Some(row) = self.read() {
            for (column, cell) in columns.iter_mut().zip(row) {
                column.push(cell.index().unwrap_or(NONE));
            }
        }
        columns
    }

    /// Reads the next row.
    pub(crate) fn read(&mut self) -> Option<&[Cell<'a>; N]> {
        let data = self.data;
        match &mut self.layout {
            Layout::Columns(columns) => {
                for (cell, column) in self.row.iter_mut().zip(columns.iter_mut()) {
                    let Some(pos) = column else { continue };
                    cell.token = lexer::next_item(data, pos).unwrap_or_else(|| {
                        *column = None;
                        Token::EMPTY
                    });
                }
                columns.first()?.map(|_| &self.row)
            }
            Layout::Rows(pos, numbers) => {
                self.row.iter_mut().for_each(|cell| cell.token = Token::EMPTY);
                let start = lexer::item_start(data, *pos)?;
                if data.get(start) != Some(&b'[') {
                    *pos = lexer::token(data, start).ok()?.end;
                    return Some(&self.row);
                }
                *pos = start + 1;
                let mut at = 0;
                while let Some(item) = lexer::next_item(data, pos) {
                    let cells = self.row.iter_mut().zip(&*numbers);
                    for (cell, _) in cells.filter(|(_, number)| **number == Some(at)) {
                        cell.token = item;
                    }
                    at += 1;
                }
                *pos = lexer::array_end(data, *pos).ok()?;
                Some(&self.row)
            }
        }
    }
}

/// What [`Rows::indices`] has instead of a row.
pub(crate) const NONE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::outline::Outline;

    #[test]
    fn the_first_column_says_how_many_rows_there_are() {
        let read = |json: &str| {
            let outline = Outline::new(json.as_bytes(), &[b"schema"]).unwrap();
            Rows::new(outline.root(), ["a", "b", "c"]).indices()
        };
        let columns = read(r#"{"c":[7, 8, "x" ,9],"a":[0,null,2],"b":[1]}"#);
        assert_eq!(columns, [vec![0, NONE, 2], vec![1, NONE, NONE], vec![7, 8, NONE]]);
        assert_eq!(read(r#"{"c":[7],"a":[3,4]}"#), [vec![3, 4], vec![NONE; 2], vec![7, NONE]]);
        assert_eq!(read(r#"{"b":[1,2]}"#), [const { Vec::<u32>::new() }; 3]);
        let rows = read(r#"{"schema":{"a":1,"c":0},"data":[[7,5],[],8,[null,6]]}"#);
        assert_eq!(rows, [vec![5, NONE, NONE, 6], vec![NONE; 4], vec![7, NONE, NONE, NONE]]);
    }
}

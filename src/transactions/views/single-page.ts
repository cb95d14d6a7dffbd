/** A list that is answered whole, on one page. */
export const singlePage = <Item>(
  items: Item[],
  limit = 20,
): { items: Item[]; limit: number; next_cursor: null; previous_cursor: null } => ({
  items,
  limit,
  next_cursor: null,
  previous_cursor: null,
})

import type { CartItem } from './cart-item.schema.ts'

/** `type` and `product_type` mean the same; both are answered (semantics §0.5). */
export function showCartItem(item: CartItem): CartItem {
  const kind = item.product_type ?? item.type ?? null
  return { ...item, product_type: kind, type: kind }
}

const MAX_ITEMS = 249
const MAX_CATEGORIES = 100

/** What is wrong with a cart by semantics §2, by JSON pointer. Empty: nothing. */
export function cartProblems(items: readonly CartItem[] | null | undefined): Record<string, string> {
  if (!items) return {}
  if (items.length > MAX_ITEMS) return { '/cart_items': `may hold ${MAX_ITEMS} items at most` }
  return Object.fromEntries(
    items.flatMap(({ type, product_type, categories }, index) => [
      ...((categories?.length ?? 0) > MAX_CATEGORIES
        ? [[`/cart_items/${index}/categories`, `may hold ${MAX_CATEGORIES} categories at most`]]
        : []),
      ...(type && product_type && type !== product_type
        ? [[`/cart_items/${index}/type`, `is the same as product_type, which says ${product_type}`]]
        : []),
    ]),
  )
}

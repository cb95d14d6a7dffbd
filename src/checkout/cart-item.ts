import type { CartItem } from './cart-item.schema.ts'

/** `type` and `product_type` are the same thing; both are answered (SEMANTICS §0.5). */
export function showCartItem(item: CartItem): CartItem {
  const kind = item.product_type ?? item.type ?? null
  return { ...item, product_type: kind, type: kind }
}

import type { TestRailyard } from '../railyard.ts'

/**
 * A stored payment method as the vault keeps one, without its secret: enough for whatever only names it.
 * Answers its id.
 */
export async function addStoredCard(
  { world }: TestRailyard,
  account: string,
  more: { method?: string; buyer_id?: string; provisional?: boolean } = {},
): Promise<string> {
  const now = new Date(world.clock.now()).toISOString()
  const id = world.ids.next()
  await world.db
    .insertInto('payment_methods')
    .values({
      merchant_account_id: account,
      id,
      status: 'processing',
      method: 'card',
      mode: 'card',
      label: '1111',
      scheme: 'visa',
      bin: '41111111',
      card_type: 'credit',
      card_issuer_name: 'Sandbox Bank',
      card_country: 'US',
      expiration_date: '12/35',
      fingerprint: 'f'.repeat(64),
      created_at: now,
      updated_at: now,
      ...more,
    })
    .execute()
  return id
}

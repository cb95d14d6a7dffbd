import type { Caller } from '../../api/auth/caller.ts'
import type { World } from '../../world.ts'
import { scopesOf } from '../roles/role.ts'

/**
 * A key pair with its present rights, as far as a token with these scopes opens them; undefined: its tokens are
 * refused.
 */
export async function findKeyPairCaller(
  { db }: Pick<World, 'db'>,
  id: string,
  tokenScopes: readonly string[],
): Promise<Caller | undefined> {
  const pair = await db
    .selectFrom('api_key_pairs')
    .selectAll()
    .where('id', '=', id)
    .where('active', '=', true)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!pair) return undefined
  return {
    actor: { type: 'api-key-pair', id, name: pair.display_name, emailAddress: null },
    scopes: scopesOf(pair.role_ids),
    merchantAccountIds: pair.merchant_account_ids,
    token: {
      kid: pair.thumbprint,
      jti: id,
      scopes: tokenScopes,
      embed: undefined,
      checkoutSessionId: undefined,
      exp: Number.MAX_SAFE_INTEGER,
    },
  }
}

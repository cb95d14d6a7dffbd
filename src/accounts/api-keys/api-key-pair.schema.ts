import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'
import { MerchantAccountSummary } from '../merchant-accounts/merchant-account.schema.ts'
import { Role } from '../roles/role.schema.ts'

export const KeyAlgorithm = Words('ECDSA', 'RSA')
export type KeyAlgorithm = Static<typeof KeyAlgorithm>

export const KeyPairCreator = Closed('KeyPairCreator', {
  id: Uuid,
  name: Type.String(),
  email_address: Nullable(Described(Type.String(), 'The address of a person; null for a key pair')),
  thumbprint: Nullable(Described(Type.String(), 'The thumbprint of a key pair; null for a person')),
})

const accountsLimit = 'The merchant accounts that the key may act on; empty: all'
const accountRequired =
  'For a key that may act on several merchant accounts. True: a request without the header `x-svc-merchant-account-id` is a 400; false: it acts on `default`'

export const ApiKeyPair = Closed('ApiKeyPair', {
  type: Type.Literal('api-key-pair'),
  id: Uuid,
  thumbprint: Described(Type.String(), 'RFC 7638; the `kid` of the tokens that the key signs'),
  display_name: Text(1, 200),
  algorithm: Described(KeyAlgorithm, 'ECDSA for keys on elliptic curves, EdDSA among them; RSA'),
  active: Type.Boolean(),
  private_key: Nullable(
    Described(Type.String(), 'PKCS #8 PEM, answered once, when Railyard makes the pair; otherwise null'),
  ),
  creator: Nullable(
    Described(
      KeyPairCreator,
      'The person or key pair that made it, with the name at that time; null: the command line',
    ),
  ),
  merchant_accounts: Described(Type.Array(MerchantAccountSummary), accountsLimit),
  merchant_account_required: Described(Type.Boolean(), accountRequired),
  roles: Type.Array(Role),
  last_used_at: Nullable(Described(Timestamp, 'To the minute; null: never')),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ApiKeyPair = Static<typeof ApiKeyPair>

export const ApiKeyPairs = Page('ApiKeyPairs', ApiKeyPair)

export const ApiKeyPairCreate = Closed('ApiKeyPairCreate', {
  display_name: Text(1, 200),
  algorithm: Type.Optional({
    ...Described(
      KeyAlgorithm,
      'ECDSA: P-521, tokens are signed with ES512. RSA: 3072 bits, tokens are signed with RS512',
    ),
    default: 'ECDSA',
  }),
  active: Type.Optional({ ...Type.Boolean(), default: true }),
  role_ids: Type.Array(Uuid, { minItems: 1 }),
  merchant_account_ids: Type.Optional(Described(Type.Array(Type.String()), accountsLimit)),
  merchant_account_required: Type.Optional({ ...Described(Type.Boolean(), accountRequired), default: false }),
  public_key: Type.Optional(
    Nullable(
      Described(
        Type.String(),
        'SPKI PEM on P-521, or of RSA with 2048 bits and more, of a key that you made; absent: Railyard makes one',
      ),
    ),
  ),
})
export type ApiKeyPairCreate = Static<typeof ApiKeyPairCreate>

/** Members that are omitted or null stay as they are. */
export const ApiKeyPairUpdate = Closed('ApiKeyPairUpdate', {
  display_name: Type.Optional(Nullable(Text(1, 200))),
  active: Type.Optional(Nullable(Described(Type.Boolean(), 'False: its tokens are refused'))),
  role_ids: Type.Optional(Nullable(Type.Array(Uuid, { minItems: 1 }))),
  merchant_account_ids: Type.Optional(Nullable(Described(Type.Array(Type.String()), accountsLimit))),
  merchant_account_required: Type.Optional(Nullable(Described(Type.Boolean(), accountRequired))),
})
export type ApiKeyPairUpdate = Static<typeof ApiKeyPairUpdate>

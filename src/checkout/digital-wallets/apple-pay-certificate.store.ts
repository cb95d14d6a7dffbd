import { X509Certificate } from 'node:crypto'
import type { Selectable } from 'kysely'
import { badRequest, invalid, notFound } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { ApplePayCertificateTable } from '../../database/tables/checkout.ts'
import { makeWalletKey, openWalletKey, type WalletKeyPurpose } from '../../vault/secrets/wallet-key.ts'
import type { World } from '../../world.ts'
import type { ApplePayCertificate } from './apple-pay-certificate.schema.ts'
import { certificateProblem, readCertificate } from './apple-pay-certificate.ts'
import { certificateSigningRequest } from './certificate-request.ts'
import { findDigitalWallet, lockDigitalWallet, walletChange } from './digital-wallet.store.ts'

type Row = Selectable<ApplePayCertificateTable>

const certificatesOfWallet = ({ db }: Pick<World, 'db'>, account: string, wallet: string) =>
  db
    .selectFrom('apple_pay_certificates')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('digital_wallet_id', '=', wallet)

/** The newest first. */
export async function listCertificates(
  world: World,
  account: string,
  wallet: string,
): Promise<ApplePayCertificate[]> {
  const rows = await certificatesOfWallet(world, account, wallet)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => toCertificate(world, row))
}

/** The certificates that are active now, the newest first, each with its key. */
export async function activeCertificates(
  world: World,
  account: string,
  wallet: string,
  purpose: WalletKeyPurpose,
) {
  const rows = await certificatesOfWallet(world, account, wallet)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', timeOf(world.clock))
    .orderBy('created_at', 'desc')
    .execute()
  return Promise.all(
    rows.map(async (row) => ({
      certificate: new X509Certificate(row.certificate ?? ''),
      key: await openWalletKey(world, row),
    })),
  )
}

/**
 * Makes a key and the signing request for its certificate. Throws 404 if the account has no such wallet, 400
 * if it is not Apple's.
 */
export async function requestCertificate(
  world: World,
  account: string,
  wallet: string,
  purpose: WalletKeyPurpose,
): Promise<ApplePayCertificate> {
  // checked before the key is made, which is the expensive part
  requireAppleWallet(await findDigitalWallet(world, account, wallet))
  const id = world.ids.next()
  const { key, sealed } = await makeWalletKey(world, account, id, purpose)
  const certificate_signing_request = await certificateSigningRequest(key, `Railyard ${purpose}`)
  const now = timeOf(world.clock)
  const row = await world.db.transaction().execute(async (db) => {
    const locked = requireAppleWallet(await lockDigitalWallet(db, account, wallet))
    await recordChange(db, world, walletChange('updated', locked))
    return db
      .insertInto('apple_pay_certificates')
      .values({
        merchant_account_id: account,
        id,
        digital_wallet_id: wallet,
        purpose,
        certificate_signing_request,
        certificate: null,
        expires_at: null,
        ...sealed,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return toCertificate(world, row)
}

function requireAppleWallet<W extends { provider: string }>(wallet: W | undefined): W {
  if (!wallet) throw notFound()
  if (wallet.provider !== 'apple') throw badRequest('Only Apple asks for certificates')
  return wallet
}

/**
 * Stores the certificate that Apple made for a signing request. Throws 400 if it is for another key or names
 * no merchant, 404 if there is no such request.
 */
export async function uploadCertificate(
  world: World,
  account: string,
  wallet: string,
  id: string,
  text: string,
): Promise<ApplePayCertificate> {
  const row = await world.db.transaction().execute(async (db) => {
    const locked = await lockDigitalWallet(db, account, wallet)
    const current = await certificatesOfWallet({ db }, account, wallet)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!locked || !current) throw notFound()
    const certificate = readCertificate(text)
    if (!certificate) throw invalid({ '/certificate': 'is no X.509 certificate' })
    const problem = certificateProblem(
      certificate,
      await openWalletKey(world, current),
      current.purpose,
      world.clock.now(),
    )
    if (problem) throw invalid({ '/certificate': problem })
    if (current.certificate === certificate.toString()) return current
    await recordChange(db, world, walletChange('updated', locked))
    return db
      .updateTable('apple_pay_certificates')
      .set({
        certificate: certificate.toString(),
        expires_at: new Date(certificate.validTo).toISOString(),
        updated_at: timeOf(world.clock),
      })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return toCertificate(world, row)
}

/** Deletes the certificate with its key. False: the wallet has no such certificate. */
export async function deleteCertificate(
  world: World,
  account: string,
  wallet: string,
  id: string,
): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    const locked = await lockDigitalWallet(db, account, wallet)
    const row = await db
      .deleteFrom('apple_pay_certificates')
      .where('merchant_account_id', '=', account)
      .where('digital_wallet_id', '=', wallet)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst()
    if (!locked || !row) return false
    await recordChange(db, world, walletChange('updated', locked))
    return true
  })
}

function toCertificate({ clock }: World, row: Row): ApplePayCertificate {
  const { id, digital_wallet_id, purpose, certificate_signing_request, expires_at, created_at, updated_at } =
    row
  const status = expires_at === null ? 'pending' : Date.parse(expires_at) > clock.now() ? 'active' : 'expired'
  return {
    type: 'apple-pay-certificate',
    id,
    digital_wallet_id,
    purpose,
    status,
    certificate_signing_request,
    expires_at,
    created_at,
    updated_at,
  }
}

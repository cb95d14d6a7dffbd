// @ts-check

const { randomUUID, sign } = require('node:crypto')

/** @import { TokenOptions } from './testing.d.cts' */

const HOUR_SECONDS = 3_600

/**
 * Signs a bearer token, as `railyard token` does.
 *
 * @param {{ account: string, privateKeyPem: string, keyId: string }} merchant
 * @param {TokenOptions} [options]
 * @returns {string}
 */
function signToken(
  { account, privateKeyPem, keyId },
  { scopes = ['*.read', '*.write'], expiresIn = HOUR_SECONDS, embed, checkoutSession } = {},
) {
  if (!Number.isInteger(expiresIn)) throw new TypeError('expiresIn takes a whole number of seconds')
  if (!Array.isArray(scopes)) throw new TypeError("scopes takes a list: ['transactions.read']")
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'railyard-testing',
    iat: now,
    nbf: now,
    exp: now + expiresIn,
    jti: randomUUID(),
    scopes,
    embed: { ...embed, merchant_account_id: account },
    ...(checkoutSession !== undefined && { checkout_session_id: checkoutSession }),
  }
  const signed = `${encode({ alg: 'ES256', typ: 'JWT', kid: keyId })}.${encode(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKeyPem, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/** @param {object} part */
const encode = (part) => Buffer.from(JSON.stringify(part)).toString('base64url')

module.exports = { signToken }

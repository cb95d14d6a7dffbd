import type { ThreeDSecureServer } from '../contract/three-d-secure-server.ts'
import type { HttpRequest } from '../wire/http-message.ts'
import { readAres, readResult, readVersions } from './answer.ts'
import { areq, simulatedExtension } from './areq.ts'
import { authenticationFailure } from './error.ts'
import { isVersion } from './version.ts'

interface Options {
  /** Without a slash at its end. */
  baseUrl: string
  /** Sent as a bearer token; absent: the 3DS server identifies Railyard in another way. */
  token?: string | undefined
  clock: { now(): number }
}

/**
 * A 3DS server as Railyard talks to it: EMV 3DS messages as JSON over HTTP. `THREE_DS_SERVER_URL` replaces
 * the sandbox's server; the server (or an adapter in front of it) answers three requests below that URL:
 *
 * - `POST /3dss/versioning` with `acctNumber` → `{ "protocolVersions": ["2.1.0", "2.2.0"] }`, with
 *   `threeDSMethodURL` if the range has one; no version: the card's range does not take part.
 *   The number is complete, since ranges begin and end at any digit.
 * - `POST /3dss/authenticate` with an AReq → the ARes, or an Erro. The 3DS server replaces
 *   `threeDSServerRefNumber`, `threeDSServerURL` and
 *   the ids by which the directory servers know the merchant. `threeDSServerTransID` is the idempotency key.
 * - `GET /3dss/results/{threeDSServerTransID}` → the RReq that the issuer sent after a challenge; the ARes if
 *   there was no challenge; 204
 *   while a challenge is open; 404 for an unknown authentication.
 */
export function emv3ds({ baseUrl, token, clock }: Options): ThreeDSecureServer {
  const request = (method: HttpRequest['method'], path: string, body?: unknown): HttpRequest => ({
    method,
    url: `${baseUrl}/3dss/${path}`,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    ...(body !== undefined && { body }),
  })
  return {
    async versions(http, { number }, simulated) {
      const body = {
        acctNumber: number,
        ...(simulated && { messageExtension: [simulatedExtension(simulated)] }),
      }
      return readVersions(await http(request('POST', 'versioning', body)))
    },
    async authenticate(http, authentication, version) {
      if (!isVersion(version)) return authenticationFailure('102', 'messageVersion')
      const message = areq(authentication, version, `${baseUrl}/3dss/rreq`, clock.now())
      return readAres(await http(request('POST', 'authenticate', message)), {
        id: authentication.id,
        version,
      })
    },
    result: async (http, id) => readResult(await http(request('GET', `results/${id}`)), id),
  }
}

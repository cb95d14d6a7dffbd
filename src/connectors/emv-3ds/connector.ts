import type { HttpRequest } from '../http-message.ts'
import type { ThreeDSecureServer } from '../three-d-secure-server.ts'
import { readAres, readResult, readVersions } from './answer.ts'
import { areq, simulatedExtension } from './areq.ts'
import { authenticationFailure } from './error.ts'
import { isVersion } from './version.ts'

interface Options {
  /** Without a slash at its end. */
  baseUrl: string
  /** Sent as bearer; absent: the 3DS server knows us otherwise. */
  token?: string | undefined
  clock: { now(): number }
}

/**
 * A 3DS server as Railyard speaks to it: EMV 3DS messages as JSON over HTTP. Put in the place of the sandbox's by `THREE_DS_SERVER_URL`, it (or an
 * adapter before it) answers three requests below that URL:
 *
 * - `POST /3dss/versioning` with `acctNumber` → `{ "protocolVersions": ["2.1.0", "2.2.0"] }`; empty: the card's range takes no part. The number is whole,
 *   since ranges begin and end at any digit.
 * - `POST /3dss/authenticate` with an AReq → the ARes, or an Erro. The 3DS server puts its own `threeDSServerRefNumber`, `threeDSServerURL` and the ids that the
 *   directory servers know the merchant by in the place of ours. `threeDSServerTransID` is the idempotency key.
 * - `GET /3dss/results/{threeDSServerTransID}` → the RReq that the issuer sent after a challenge; the ARes, where there was no challenge; 204 while a challenge is
 *   open; 404 for an authentication that it does not know.
 */
export function emv3ds({ baseUrl, token, clock }: Options): ThreeDSecureServer {
  const at = (method: HttpRequest['method'], path: string, body?: unknown): HttpRequest => ({
    method,
    url: `${baseUrl}/3dss/${path}`,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    ...(body !== undefined && { body }),
  })
  return {
    async versions(http, { number }, simulated) {
      const asked = { acctNumber: number, ...(simulated && { messageExtension: [simulatedExtension(simulated)] }) }
      return readVersions(await http(at('POST', 'versioning', asked)))
    },
    async authenticate(http, request, version) {
      if (!isVersion(version)) return authenticationFailure('102', 'messageVersion')
      const message = areq(request, version, `${baseUrl}/3dss/rreq`, clock.now())
      return readAres(await http(at('POST', 'authenticate', message)), { id: request.id, version })
    },
    result: async (http, id) => readResult(await http(at('GET', `results/${id}`)), id),
  }
}

import type { FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import { HMAC_KEY } from './fake-books.ts'
import type { Body } from './fake-payments.ts'

/** The webhooks of a merchant account, and its disputes: those with an id that begins with `LOST` are closed. */
export function answerManagement() {
  const webhooks = new Map<string, Body>()
  const documents = new Map<string, number>()

  const manage = (method: string, path: string, body: Body): FakeAnswer => {
    const [, , , , id = '', action] = path.split('/')
    if (method === 'GET')
      return {
        status: 200,
        body: {
          itemsTotal: webhooks.size,
          pagesTotal: webhooks.size === 0 ? 0 : 1,
          data: [...webhooks].map(([key, each]) => ({ ...each, id: key })),
        },
      }
    if (action === 'generateHmac') return { status: 200, body: { hmacKey: HMAC_KEY } }
    const key = id || `S2-${webhooks.size + 1}`
    webhooks.set(key, { ...webhooks.get(key), ...body })
    return { status: 200, body: { ...webhooks.get(key), id: key } }
  }

  const dispute = (path: string, body: Body): FakeAnswer => {
    const id = `${body['disputePspReference']}`
    const fails = id.startsWith('LOST') || (path === '/defendDispute' && !documents.get(id))
    if (path === '/supplyDefenseDocument') documents.set(id, 1)
    const result = fails ? { success: false, errorMessage: 'No disputes found' } : { success: true }
    return {
      status: 200,
      body: {
        disputeServiceResult: result,
        ...(path === '/retrieveApplicableDefenseReasons' && {
          defenseReasons: [
            {
              defenseReasonCode: 'SupplyDefenseMaterial',
              satisfied: false,
              defenseDocumentTypes: [
                {
                  defenseDocumentTypeCode: 'DefenseMaterial',
                  requirementLevel: 'Required',
                  available: false,
                },
              ],
            },
          ],
        }),
      },
    }
  }

  return (method: string, path: string, body: Body): FakeAnswer =>
    path.startsWith('/merchants/') ? manage(method, path, body) : dispute(path, body)
}

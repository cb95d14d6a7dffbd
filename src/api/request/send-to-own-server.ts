import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { App } from '../app.ts'

/**
 * Sends a request to the server of this process, without the network. Fastify's `inject` refuses it from the moment
 * the server begins to close, when requests under way may still need it: a tool of an agent that has moved money and
 * reads the payment, or an approved proposal.
 */
export async function sendToOwnServer(
  app: Pick<App, 'routing'>,
  request: InjectOptions,
): Promise<LightMyRequestResponse> {
  const { default: inject } = await import('light-my-request')
  return inject((incoming, response) => app.routing(incoming, response), request)
}

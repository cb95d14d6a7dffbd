import type { ServiceForCall } from '../contract/call.ts'
import type { HttpRequest } from './http-message.ts'

/** Makes the request to a simulator for one payment service; `key` is the idempotency key. */
export type SimulatorRequest = (
  call: { service: Pick<ServiceForCall, 'id' | 'fields'> },
  method: HttpRequest['method'],
  path: string,
  body?: unknown,
  key?: string,
) => HttpRequest

/**
 * `baseUrl` is the simulator's. The simulator reads the credential in `header`, which the payment service has
 * in its field `field`.
 */
export const simulatorRequest =
  (baseUrl: string, { header, field }: { header: string; field: string }): SimulatorRequest =>
  ({ service }, method, path, body, key) => ({
    method,
    url: `${baseUrl}/${service.id}${path}`,
    headers: { [header]: service.fields[field] ?? '', ...(key && { 'idempotency-key': key }) },
    ...(body !== undefined && { body }),
  })

import type { TestRailyard } from '../support/railyard.ts'
import { operationsOf } from './document.ts'
import type { Observer, Shown } from './observer.ts'

/** What stands under a parameter of a path, where its name is not that of the type. */
const types: Record<string, string> = {
  session_id: 'checkout-session',
  subscription_id: 'webhook-subscription',
  delivery_id: 'webhook-delivery',
  payment_service_definition_id: 'payment-service-definition',
  rule_id: 'flow-rule',
  metric_id: 'monitoring.metric',
  incident_id: 'monitoring.incident',
  page_incident_id: 'hosted-page.incident',
  preset_id: 'metrics-explorer.preset',
  certificate_id: 'apple-pay-certificate',
  three_ds_configuration_id: 'three-ds-configuration',
}

const choices: Record<string, string> = {
  source: 'authorization',
  metric: 'transactions',
  module: 'method',
  flow: 'card-transaction',
}

const queries: Record<string, string> = {
  get_metrics_explorer_module: '?datetime_range=P1D/now',
  get_metrics_explorer_totals: '?datetime_range=P1D/now',
  get_metrics_explorer_summary: '?datetime_range=P1D/now',
  get_card_details: '?currency=USD&bin=411111',
  list_monitoring_metrics: '?samples_timestamp_interval=PT1H/now',
}

/** How many resources are tried: the newest ones may have been deleted. */
const MAX_TRIES = 12

/** Sends every GET of the API that no script has sent yet, about what the scripts have left behind. */
export async function lookAtEverything(
  railyard: TestRailyard,
  { document, reached, shown }: Observer,
): Promise<void> {
  const gets = operationsOf(document).filter(
    ({ method, operationId }) => method === 'GET' && !reached.has(operationId),
  )
  for (const { path, operationId } of gets) {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)]
      .map(([, name = '']) => name)
      .filter((name) => !(name in choices))
    const last = parameters.at(-1)
    const query = queries[operationId] ?? ''
    const about =
      last === undefined
        ? [{ value: {}, headers: ownHeaders(railyard) }]
        : (shown.get(typeOf(last)) ?? []).slice(-MAX_TRIES).toReversed()
    for (const { value, headers } of about) {
      const url = path.replaceAll(
        /\{(\w+)\}/g,
        (_, name: string) => choices[name] ?? String(idOf(name, value, headers, name === last)),
      )
      const { status } = await railyard.send('GET', `${url}${query}`, { headers })
      if (status < 300) break
    }
  }
}

const typeOf = (parameter: string) => types[parameter] ?? parameter.replace(/_id$/, '').replaceAll('_', '-')

const ownHeaders = ({ admin }: TestRailyard) => ({
  authorization: `Bearer ${admin.token}`,
  'x-svc-merchant-account-id': admin.account,
})

function idOf(name: string, value: Shown['value'], headers: Shown['headers'], isItself: boolean): unknown {
  if (isItself) return value['id']
  if (name === 'merchant_account_id') return value[name] ?? headers['x-svc-merchant-account-id']
  const parent = value[name.replace(/_id$/, '')]
  return (
    value[name] ?? (typeof parent === 'object' && parent !== null && 'id' in parent ? parent.id : undefined)
  )
}

import { request } from 'node:http'
import { fillPlaceholders, placeholdersIn } from '../../../src/api/openapi/examples/placeholders.ts'
import { requestExamples } from '../../../src/api/openapi/examples/request-examples.ts'
import { sessionToken } from '../../../src/transactions/approval/session-token.ts'
import { softwareAuthenticator } from '../authenticator.ts'
import { openCheckout, pricingUrl } from '../domains/agentic-commerce.ts'
import { signedByApple } from '../domains/apple-certificate.ts'
import { openedPageIncident } from '../domains/hosted-pages.ts'
import { openedIncident } from '../domains/monitoring.ts'
import { execute, transactionsReport } from '../domains/reports.ts'
import { anonymously, personOf, roleIds, tokenOf, totpCode } from '../people.ts'
import type { Answer, TestRailyard } from '../railyard.ts'
import { requiredHeaders } from './required-headers.ts'

type Values = Readonly<Record<string, string>>

export interface DocumentedOperation {
  operationId: string
  method: string
  path: string
  scopes: readonly string[]
}

const walletPayment = {
  amount: 1299,
  currency: 'USD',
  country: 'US',
  integration_client: 'web',
  payment_method: { method: 'wallet', country: 'US', currency: 'USD', redirect_url: 'https://shop.example' },
}

/**
 * Sends the example of an operation as the document has it, each once. What an example needs is made by
 * other examples, or by `preparations`.
 */
export function exampleSender(railyard: TestRailyard, operations: readonly DocumentedOperation[]) {
  const { admin, clock, world } = railyard
  // browsers make passkeys for host names only
  world.publicUrl = world.publicUrl.replace('127.0.0.1', 'localhost')
  const authenticator = softwareAuthenticator(world.publicUrl)
  const answers = new Map<string, Promise<Answer>>()
  const send = (operationId: string): Promise<Answer> => {
    const answer = answers.get(operationId) ?? sendOnce(operationId)
    answers.set(operationId, answer)
    return answer
  }
  const made = (operationId: string) => async (): Promise<string> => (await send(operationId)).body.id
  const sent = (operationId: string) => async () => {
    await send(operationId)
    return {}
  }
  const posted = async (path: string, body: unknown): Promise<Answer['body']> => {
    const { status, body: answer } = await admin.post(path, body)
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer
  }

  const ada = async () => personOf(railyard, await send('accept_invitation'))
  const app = once(async () => (await (await ada()).send('POST', '/users/me/totp')).body.secret)

  const authorized = async (): Promise<string> =>
    (await posted('/transactions', requestExamples['create_transaction']?.body)).id
  const captured = async () => {
    const transaction_id = await authorized()
    await posted(`/transactions/${transaction_id}/capture`, {})
    return { transaction_id }
  }
  const disputed = async () => {
    const { transaction_id } = await captured()
    await posted(`/sandbox/transactions/${transaction_id}/simulate`, { event: 'dispute_notified' })
    const { items } = (await admin.get(`/transactions/${transaction_id}/disputes`)).body
    return { dispute_id: items[0].id }
  }
  const approver = once(async () => {
    const user = { email_address: 'approver@example.com', name: 'Grace', role_ids: roleIds('administrator') }
    const token = (await posted('/users', user)).invitation_url.split('/').at(-1)
    const password = requestExamples['approve_proposal']?.body['password']
    return personOf(railyard, await anonymously(railyard, 'POST', '/invitations/accept', { token, password }))
  })
  const proposal = async () => {
    const { transaction_id } = await captured()
    const request = { method: 'POST', path: `/transactions/${transaction_id}/refunds`, reason: 'Damaged' }
    const proposed = await posted('/proposals', request)
    return { proposal_id: proposed.id, proposal_hash: proposed.hash }
  }
  const checkout = async () => ({ checkout_session_id: (await openCheckout(admin, clock.now())).id })
  const awaited = async () => {
    const { id } = await posted('/transactions', walletPayment)
    return { transaction_id: id, token: sessionToken(world, admin.account, id) }
  }

  /** The values of path parameters and placeholders. */
  const values: Record<string, () => Promise<string>> = {
    transaction_id: authorized,
    subscription_id: made('create_webhook_subscription'),
    session_id: made('create_checkout_session'),
    checkout_session_id: made('create_checkout_session'),
    digital_wallet_id: made('configure_digital_wallet'),
    certificate_id: made('create_apple_pay_certificate'),
    certificate: async () => {
      const { certificate_signing_request } = (await send('create_apple_pay_certificate')).body
      return signedByApple(certificate_signing_request, clock.now())
    },
    buyer_id: made('add_buyer'),
    shipping_details_id: made('add_buyer_shipping_details'),
    payment_method_id: made('create_payment_method'),
    network_token_id: made('create_payment_method_network_token'),
    payment_service_definition_id: async () => 'mock-card',
    payment_service_id: made('create_payment_service'),
    gift_card_service_id: made('create_gift_card_service'),
    anti_fraud_service_id: made('create_anti_fraud_service'),
    three_ds_configuration_id: made('create_three_ds_configuration'),
    three_ds_scenario_id: made('create_three_ds_scenario'),
    flow: async () => 'card-transaction',
    rule_id: made('create_flow_rule'),
    report_id: made('add_report'),
    source: async () => 'authorization',
    preset_id: made('create_metrics_explorer_preset'),
    spending_limit_id: made('create_spending_limit'),
    saved_view_id: made('create_saved_view'),
    approval_policy_id: made('create_approval_policy'),
    metric_id: made('create_monitoring_metric'),
    incident_id: async () => openedIncident(railyard, admin, await made('create_monitoring_metric')()),
    page_incident_id: async () => openedPageIncident(railyard, admin),
    merchant_account_id: async () => admin.account,
    api_key_pair_id: made('create_api_key_pair'),
    user_id: made('create_user'),
    passkey_id: made('create_own_passkey'),
    invitation_token: async () => tokenOf(await send('create_user')),
    in_an_hour: async () => new Date(clock.now() + 3_600_000).toISOString(),
    totp_code: async () => totpCode(railyard, await app()),
  }

  /** What the `needs` of examples name; answers values of the request that follow from it. */
  const preparations: Record<string, () => Promise<Values>> = {
    get_transaction_session: awaited,
    update_transaction_session: awaited,
    create_transaction_refund: captured,
    create_full_transaction_refund: captured,
    create_proposal: async () => ({
      refund_path: `/transactions/${(await captured()).transaction_id}/refunds`,
    }),
    approve_proposal: proposal,
    reject_proposal: proposal,
    create_apple_pay_digital_wallet_session: sent('configure_digital_wallet'),
    create_click_to_pay_digital_wallet_session: async () => {
      const { body } = requestExamples['configure_digital_wallet'] ?? {}
      await posted('/digital-wallets', { ...body, provider: 'click-to-pay' })
      return {}
    },
    create_payment_method_network_token: sent('update_merchant_account'),
    create_payment_method_payment_service_token: sent('update_payment_service'),
    create_account_updater_job: sent('update_merchant_account'),
    publish_flow_rules: sent('replace_flow_rules'),
    create_report_execution_url: async () => {
      const execution = await execute(railyard, admin, transactionsReport())
      return { report_id: execution.report.id, report_execution_id: execution.id }
    },
    create_session: sent('accept_invitation'),
    create_own_passkey: async () => {
      const { id, response } = authenticator.create((await send('create_own_passkey_options')).body.options)
      return valuesOf(id, response)
    },
    create_session_by_passkey: async () => {
      await send('create_own_passkey')
      const { options } = (await railyard.send('POST', '/sessions/passkey/options')).body
      const { id, response } = authenticator.get(options)
      return valuesOf(id, response)
    },
    delete_own_totp: async () => {
      await send('confirm_own_totp')
      // each code is valid once
      clock.advance(31_000)
      return {}
    },
    create_agentic_checkout: async () => {
      await admin.put('/agentic-seller', { pricing_url: await pricingUrl() })
      return {}
    },
    update_agentic_checkout: checkout,
    complete_agentic_checkout: async () => {
      const { id, token } = await openCheckout(admin, clock.now())
      return { checkout_session_id: id, delegated_token: token }
    },
    cancel_agentic_checkout: checkout,
    submit_dispute_evidence: disputed,
    simulate_transaction_event: captured,
    create_sandbox_apple_pay_token: sent('configure_digital_wallet'),
  }

  async function credentials(scopes: readonly string[]): Promise<Record<string, string>> {
    if (scopes.length === 0) return {}
    const isDecision = scopes.includes('approvals.write')
    if (!isDecision && !scopes.includes('users.me.write')) return { authorization: `Bearer ${admin.token}` }
    const { cookie, csrf } = await (isDecision ? approver() : ada())
    return { cookie, 'x-csrf-token': csrf }
  }

  async function sendOnce(operationId: string): Promise<Answer> {
    // who is invited after a policy or a proposal does not decide for whoever invited them
    await approver()
    const operation = operations.find((each) => each.operationId === operationId)
    const example = requestExamples[operationId]
    if (!operation || !example) throw new Error(`${operationId} has no example`)
    const prepare = preparations[operationId]
    if (!example.needs !== !prepare)
      throw new Error(`${operationId}: its example has \`needs\` if send-examples.ts prepares it`)
    const given: Values = (await prepare?.()) ?? {}
    const valueFor = async (name: string): Promise<string> => {
      const value = given[name] ?? (await values[name]?.())
      if (value === undefined) throw new Error(`${operationId}: give ${name} a value in send-examples.ts`)
      return value
    }
    let { path } = operation
    for (const [parameter, name = ''] of path.matchAll(/\{(\w+)\}/g))
      path = path.replace(parameter, await valueFor(name))
    if (given['token']) path += `?token=${given['token']}`
    const filled = new Map<string, string>()
    for (const name of placeholdersIn(example.body)) filled.set(name, await valueFor(name))
    const body = fillPlaceholders(example.body, filled)
    const headers = {
      'content-type': 'application/json',
      ...requiredHeaders(path),
      ...(await credentials(operation.scopes)),
    }
    return operation.method === 'GET'
      ? getWithBody(`${railyard.url}${path}`, body, headers)
      : railyard.send(operation.method, path, { body, headers })
  }

  return send
}

/** The values of the placeholders for what a browser answered. */
const valuesOf = (credential_id: string, response: Record<string, string | undefined>): Values => ({
  credential_id,
  client_data: response['clientDataJSON'] ?? '',
  attestation_object: response['attestationObject'] ?? '',
  authenticator_data: response['authenticatorData'] ?? '',
  signature: response['signature'] ?? '',
})

const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** `fetch` sends no body with a GET. */
const getWithBody = (url: string, body: string, headers: Record<string, string>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const framed = { ...headers, 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { headers: framed }, async (answer) => {
      const text = (await answer.toArray()).join('')
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text), headers: new Headers() })
    })
    sent.on('error', reject)
    sent.end(body)
  })

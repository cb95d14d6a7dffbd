import type { RequestExamples } from './request-example.ts'

/** `GET /roles` lists the roles with their ids. */
const roles = {
  processing: '6f0c5e1a-0002-4d7b-9c11-5d3c2f6a7b02',
  analyst: '6f0c5e1a-0003-4d7b-9c11-5d3c2f6a7b03',
  customerSupport: '6f0c5e1a-0004-4d7b-9c11-5d3c2f6a7b04',
}

const person = { email_address: 'ada@example.com', password: '42 unusual words of mine' }

/** Merchant accounts, key pairs, and people who sign in. */
export const accountExamples: RequestExamples = {
  create_merchant_account: {
    summary: 'An account for another shop',
    body: { id: 'berlin', display_name: 'Shop in Berlin' },
  },
  update_elements_configuration: {
    summary: 'The pages that show card fields',
    body: { allowed_origins: ['https://shop.example'] },
  },
  update_merchant_account: {
    summary: 'Request tokens of Visa, and newer details of stored cards',
    body: {
      visa_network_tokens_requestor_id: 'my-shop',
      visa_network_tokens_app_id: 'my-shop-web',
      account_updater_enabled: true,
    },
  },
  create_api_key_pair: {
    summary: 'A key that takes payments',
    body: { display_name: 'Shop backend', role_ids: [roles.processing] },
  },
  update_api_key_pair: { summary: 'Disable a key', body: { active: false } },
  create_spending_limit: {
    summary: 'Refunds of an agent',
    body: {
      subject: { type: 'api-key-pair', id: '{api_key_pair_id}' },
      operation: 'refund',
      currency: 'EUR',
      per_operation: 5000,
      per_day: 50000,
    },
  },
  update_spending_limit: { summary: 'More a day', body: { per_day: 100000 } },
  create_user: {
    summary: 'Invite an analyst',
    body: { email_address: person.email_address, name: 'Ada Lovelace', role_ids: [roles.analyst] },
  },
  update_user: { summary: 'Another role', body: { role_ids: [roles.customerSupport] } },
  accept_invitation: {
    summary: 'Choose a password',
    body: { token: '{invitation_token}', password: person.password },
  },
  create_session: {
    summary: 'Sign in with a password',
    needs: 'a person who has accepted an invitation',
    body: person,
  },
  update_own_user: { summary: 'Another name', body: { name: 'Ada King' } },
  create_own_passkey_options: {
    summary: 'Prove by the password who you are',
    body: { password: person.password },
  },
  create_own_passkey: {
    summary: 'The passkey that the browser made',
    needs: 'options of the same session that were answered in the last five minutes',
    body: {
      name: 'Laptop',
      credential: {
        id: '{credential_id}',
        rawId: '{credential_id}',
        type: 'public-key',
        response: { clientDataJSON: '{client_data}', attestationObject: '{attestation_object}' },
      },
    },
  },
  create_session_by_passkey: {
    summary: 'The answer of a passkey',
    needs: 'a passkey, and options that were answered in the last five minutes',
    body: {
      credential: {
        id: '{credential_id}',
        rawId: '{credential_id}',
        type: 'public-key',
        response: {
          clientDataJSON: '{client_data}',
          authenticatorData: '{authenticator_data}',
          signature: '{signature}',
        },
      },
    },
  },
  delete_own_passkey: {
    summary: 'Prove by the password who you are',
    body: { password: person.password },
  },
  confirm_own_totp: { summary: 'A code of the new app', body: { code: '{totp_code}' } },
  delete_own_totp: {
    summary: 'A code of the app',
    needs: 'an authenticator app that is confirmed, and a code that was not used before',
    body: { code: '{totp_code}' },
  },
  create_approval_policy: {
    summary: 'Refunds above 100 euros, and every payout',
    body: {
      display_name: 'Four eyes',
      operations: ['refund', 'payout'],
      thresholds: [{ currency: 'EUR', amount: 10_000 }],
      required_approvals: 1,
      open_for_hours: 72,
      active: false,
    },
  },
  update_approval_policy: { summary: 'Two people approve', body: { required_approvals: 2 } },
  create_proposal: {
    summary: 'Propose a refund',
    needs: 'a payment that was captured',
    body: {
      method: 'POST',
      path: '{refund_path}',
      body: { amount: 500 },
      reason: 'Parcel 4711 came back damaged',
    },
  },
  approve_proposal: {
    summary: 'Approve, and prove by the password who you are',
    needs: 'a proposal of another person or key pair',
    body: { hash: '{proposal_hash}', password: person.password, comment: 'I have seen the parcel' },
  },
  reject_proposal: {
    summary: 'Reject, with the reason',
    needs: 'a proposal of another person or key pair',
    body: { hash: '{proposal_hash}', password: person.password, comment: 'The parcel is not here yet' },
  },
}

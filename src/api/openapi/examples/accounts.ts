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
  confirm_own_totp: { summary: 'A code of the new app', body: { code: '{totp_code}' } },
  delete_own_totp: {
    summary: 'A code of the app',
    needs: 'an authenticator app that is confirmed, and a code that was not used before',
    body: { code: '{totp_code}' },
  },
}

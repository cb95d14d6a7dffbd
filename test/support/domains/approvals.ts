import { expect } from 'vitest'
import { PASSWORD, type Person, person } from '../people.ts'
import type { Answer, Client, TestRailyard } from '../railyard.ts'

type Body = Record<string, unknown>

/** A person who may act on the account, and decide. */
export const approverFor = (
  railyard: TestRailyard,
  { account }: Client,
  role = 'administrator',
): Promise<Person> => person(railyard, { merchantAccounts: [account], roles: [role] })

/** Headers of a request by a person for an account. */
export const forAccount = ({ account }: Client) => ({ 'x-svc-merchant-account-id': account })

/** A policy of the account, made with a key pair. Returns its id. */
export async function addPolicy(
  railyard: TestRailyard,
  client: Pick<Client, 'account'>,
  policy: Body,
): Promise<string> {
  const answer = await railyard.admin.post(
    '/approval-policies',
    { display_name: 'Four eyes', ...policy },
    { 'x-svc-merchant-account-id': client.account },
  )
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.id
}

/** Proposes a request; fails unless it is accepted. */
export async function proposed(
  client: Pick<Client, 'post'>,
  method: string,
  path: string,
  body?: Body,
  headers?: Record<string, string>,
): Promise<Answer['body']> {
  const answer = await client.post(
    '/proposals',
    { method, path, ...(body && { body }), reason: 'The goods came back' },
    headers,
  )
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 })
  return answer.body
}

/** Approves or rejects with the password. */
export const decides = (
  who: Person,
  client: Pick<Client, 'account'>,
  proposal: { id: string; hash: string },
  decision: 'approve' | 'reject' = 'approve',
  more: Body = {},
): Promise<Answer> =>
  who.send(
    'POST',
    `/proposals/${proposal.id}/${decision}`,
    { hash: proposal.hash, password: PASSWORD, ...more },
    { 'x-svc-merchant-account-id': client.account },
  )

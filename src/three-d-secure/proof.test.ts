import { expect, test } from 'vitest'
import { toAuthenticationProof } from './proof.ts'
import type { TransactionThreeDSecureSummary } from './three-d-secure.schema.ts'

const versions = {
  '1': { version: '1.0.2', cavv_algorithm: '2', xid: 'MDk0MTIzOTQyMTMwMDQ0NDQ0NDQ=' },
  '2': { version: '2.2.0', directory_transaction_id: 'd0d0d0d0-0000-4000-8000-000000000000' },
}

test.each(Object.entries(versions))(
  'an indicator of one digit reaches payment services with two: 3-D Secure %s',
  (_, data) => {
    const authentication = {
      status: 'complete',
      response_data: {
        ...data,
        cavv: 'AAA=',
        eci: '5',
        directory_response: 'Y',
        authentication_response: 'Y',
      },
    } as TransactionThreeDSecureSummary
    expect(toAuthenticationProof(authentication)).toMatchObject({ version: data.version, eci: '05' })
  },
)

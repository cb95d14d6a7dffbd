import { shifted } from '../../support/tamper.ts'
import { CHANGED, type Corruption, detected, operation, transaction } from './changes.ts'

/** Changes of the journal chain itself, and of what no hash covers. */
export const journalChainCorruptions: readonly Corruption[] = [
  ...detected('The chain of the journal', [
    [
      'a link is gone',
      'delete from journal_seals where merchant_account_id = :account and number = 1',
      'journal: link is missing',
    ],
    [
      'a link is replaced',
      `update journal_seals set hash = '\\x00' where merchant_account_id = :account and number = 1`,
      CHANGED,
    ],
    [
      'a link covers more rows',
      'update journal_seals set position = position + 1000000 where merchant_account_id = :fraudAccount and number = 1',
      CHANGED,
    ],
    [
      'a link was made at another time',
      `update journal_seals set created_at = ${shifted('created_at', '-1 hour')} where merchant_account_id = :account and number = 1`,
      CHANGED,
    ],
    [
      'the chain is gone',
      'delete from journal_seals where merchant_account_id = :account',
      'journal: link is known, and is missing',
    ],
  ]),
  {
    subject: 'The chain of the journal',
    name: 'the chain of an account is gone, and the operator has kept no link of it',
    sql: 'delete from journal_seals where merchant_account_id = :fraudAccount',
    notDetected:
      'a chain whose end was cut off is still valid: only an operator with a kept link (`--journal-head`) can detect it. Railyard counts the entries as not sealed yet, and seals them again',
  },
  ...(
    [
      [
        'personal data',
        transaction(`shipping_details = '{"name": "Eve"}', ip_address = '192.0.2.1'`, 'captured'),
        'personal data is in no hash, because people have a right to erasure. It moves no money',
      ],
      [
        'a text of the merchant',
        transaction(`external_identifier = 'other', metadata = '{"a": "b"}'`, 'captured'),
        'merchants change it (`PUT`), and it moves no money',
      ],
      [
        'the card that a payment shows',
        transaction(`payment_method = payment_method || '{"label": "9999"}'`, 'captured'),
        'Railyard replaces it when the account updater knows a newer card, and it moves no money',
      ],
      [
        'the record of requests and answers, and the timeline (`exchanges`, `packed_exchanges`),',
        operation(`exchanges = '[]', packed_exchanges = null`, 'captured', 'sale'),
        'it may hold personal data, which can be erased. The operation has the outcome, and is sealed; so is the log of events',
      ],
      [
        'the amount of a payment whose outcome is not known yet, and of its operation,',
        [
          operation('amount = amount - 1', 'uncertain', 'authorize'),
          transaction('amount = amount - 1', 'uncertain'),
        ],
        'an undecided operation is in no link yet, and a payment that has just begun has no event. When the payment service answers with the authorized amount, an amount above the stored one is a finding',
      ],
    ] as const
  ).map(
    ([name, sql, notDetected]): Corruption => ({
      subject: 'Changes that move no money, and undecided operations',
      name: `${name} is changed`,
      sql: [sql].flat(),
      notDetected,
    }),
  ),
]

import { moneyTitles } from './money-titles.ts'

export const checkoutSessionWords = {
  title: moneyTitles.checkoutSessions,
  session: 'Checkout session',
  about:
    'A checkout session keeps a planned payment while the buyer enters a card in your checkout. Sessions are not listed: open one by its id, which your backend has.',
  id: 'Id of the checkout session',
  gone: 'There is no such session',
  goneText:
    'It never existed in this merchant account, was deleted, or has expired: a session lives for an hour unless your backend says otherwise.',
  noPayment: 'The buyer has entered nothing yet.',
  entered: 'What the buyer entered',
  stored: 'Stored method',
  firstDigits: 'First digits',
  kind: 'Kind of card',
  issuer: 'Issuer',
  issuerCountry: 'Country of the issuer',
  expires: (distance: string) => `Expires ${distance}`,
  expired: 'Expired',
  amount: 'Amount',
  service: 'Payment service',
  storedBuyer: 'Stored buyer',
  toBuyer: 'Open the buyer',
  items: 'Items',
  noItems: 'None',
  item: 'Item',
  quantity: 'Quantity',
  price: 'Price of one',
  until: 'Expires',
  payments: 'Payments of the session',
  noPayments: 'Nothing was paid through it yet.',
  delete: 'Delete',
  deleteTitle: 'Delete the checkout session',
  deleteText:
    'The session is erased with everything that the buyer entered. A checkout that is open in a browser cannot go on with it.',
  deleted: 'Deleted',
} as const

import * as declinedIn from '../../../checkout/decline-words.ts'
import type { Words } from './words.ts'

export const en: Words = {
  lang: 'en',
  sandbox: 'Sandbox: no money moves.',
  payTitle: (merchant) => `Pay ${merchant}`,
  order: 'Your order',
  quantity: (count) => `Quantity ${count}`,
  total: 'Total',
  payWith: 'How would you like to pay?',
  redirectHint: (method) => `You go on to ${method} to approve the payment, and come back here.`,
  storedCard: { ending: 'ending in', expires: (date) => `Expires ${date}` },
  otherCard: 'Another card',
  name: { label: 'Name on card', missing: 'Enter the name as it is on the card.' },
  keepsCard: (merchant) => `Your card is kept safely for your next payments to ${merchant}.`,
  pay: (amount) => `Pay ${amount}`,
  reserves: (merchant) => `The amount is reserved now. ${merchant} charges it later.`,
  confirm: 'Confirm',
  goOn: (method) => `Continue with ${method}`,
  paying: 'Paying…',
  private: (merchant) => `Your card details are encrypted, and ${merchant} never sees them.`,
  acceptTerms: (merchant) => `By paying you accept the terms and conditions of ${merchant}`,
  newTab: '(opens a new tab)',
  noScript:
    'Your card details go straight from your browser to the payment system, which needs JavaScript. Turn it on and load this page again.',
  declined: { title: 'The payment was not made', ...declinedIn.en },
  troubles: {
    tooMany: 'That was too often. Wait a minute and try again.',
    offline: 'There is no connection. Check yours; this page looks by itself whether you have paid.',
    failed: 'Something went wrong here, and nothing was charged. Try again.',
  },
  processing: {
    title: 'Your payment is being processed',
    text: 'This page goes on by itself. Please do not pay again.',
  },
  approval: {
    title: 'You have begun to pay',
    text: 'Your payment waits for you to approve it. Go on where you were, or choose another way to pay.',
    goOn: 'Go on',
    otherWay: 'Pay another way',
  },
  completed: {
    title: 'Thank you',
    paid: (amount, merchant) => `You have paid ${amount} to ${merchant}.`,
    booking: (amount, merchant) =>
      `Your payment of ${amount} to ${merchant} has been accepted and is being completed.`,
    reserved: (amount, merchant) => `${amount} is reserved for ${merchant}. Nothing has been charged yet.`,
    kept: (merchant) => `${merchant} can charge your card from now on. Nothing was charged yet.`,
    checked: 'Your card has been checked. Nothing was charged.',
    noLongerKept: (merchant) =>
      `Your payment to ${merchant} is complete. Its details are no longer shown here.`,
  },
  receipt: {
    title: 'Payment details',
    reference: 'Reference',
    time: 'Time',
    amount: 'Amount',
    method: 'Payment method',
    print: 'Print',
  },
  released: {
    title: 'The payment was cancelled',
    text: (amount, merchant) => `${merchant} has released the ${amount}. Nothing was charged.`,
  },
  expired: {
    title: 'This payment link has expired',
    text: (merchant) => `Nothing was charged. Ask ${merchant} for a new link.`,
  },
  exhausted: {
    title: 'This link takes no more payments',
    text: (merchant) =>
      `Too many payments were declined here. Nothing was charged. Ask ${merchant} for a new link.`,
  },
  unavailable: {
    title: 'You cannot pay here just now',
    text: (merchant) => `Nothing was charged. Try again later, or ask ${merchant} how to pay.`,
  },
  unknown: {
    title: 'There is no such payment link',
    text: 'The link may be incomplete. Open it again from where you were sent it.',
  },
  failed: {
    title: 'This page does not work just now',
    text: 'Load it again in a moment. Nothing is paid twice.',
  },
  backTo: (merchant) => `Back to ${merchant}`,
}

export const enGB: Words = { ...en, lang: 'en-GB' }

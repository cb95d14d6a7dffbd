import { type Cipher, isSignature, type Purpose } from '../../base/cipher.ts'

/** A kind of notification URL: where it is, and the purpose of the key that signs it. */
export interface NotificationKind {
  path: string
  purpose: Extract<Purpose, 'notification' | 'anti-fraud-notification' | 'token-notification'>
}

/** Of payment services and of gift card services: both come to the same endpoint. */
export const paymentNotifications: NotificationKind = { path: 'notifications', purpose: 'notification' }

interface Signer {
  cipher: Cipher
}

/**
 * The URL at which a provider notifies us about a resource of an account. Its last part is a signature, which
 * only the provider gets: without it any client could send notifications.
 */
export const signedNotificationUrl = (
  { cipher, publicUrl }: Signer & { publicUrl: string },
  { path, purpose }: NotificationKind,
  account: string,
  id: string,
): string =>
  `${publicUrl}/${path}/${account}/${id}/${cipher.mac(purpose, `${account}/${id}`).toString('base64url')}`

/** Whether a text is the last part of that resource's notification URL. */
export const isNotificationSignature = (
  { cipher }: Signer,
  { purpose }: NotificationKind,
  account: string,
  id: string,
  text: string,
): boolean => isSignature(cipher, purpose, `${account}/${id}`, text)

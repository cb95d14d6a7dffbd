import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { World } from '../../world.ts'
import { derivedKey } from '../keys/derived-key.ts'

/**
 * https://www.apple.com/certificateauthority/AppleRootCA-G3.cer, valid to 2039-04-30, SHA-256
 * 63:34:3A:BF:B8:9A:6A:03:EB:B5:7E:9B:3F:5F:A7:BE:7C:4F:5C:75:6F:30:17:B3:A8:C4:88:C3:65:3E:91:79.
 */
const APPLE_ROOT_CA_G3 = `
MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwS
QXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9u
IEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcN
MTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBS
b290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9y
aXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49
AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtf
TjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517
IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySr
MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gA
MGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWTxnS4
at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM
6BgD56KyKA==`

export const appleRoot = () => new X509Certificate(Buffer.from(APPLE_ROOT_CA_G3, 'base64'))

/**
 * The key with which the sandbox's devices sign in place of Apple and Google. Every process of an instance
 * has the same one.
 */
export const sandboxRootKey = ({ cipher }: Pick<World, 'cipher'>): KeyObject =>
  derivedKey(cipher, 'sandbox-wallets', 'root')

/** The keys that may sign Apple Pay tokens: Apple's, and in the sandbox those of its own devices. */
export function applePayRoots(world: Pick<World, 'cipher' | 'settings'>): KeyObject[] {
  const own = world.settings.environment === 'sandbox' ? [createPublicKey(sandboxRootKey(world))] : []
  return [appleRoot().publicKey, ...own]
}

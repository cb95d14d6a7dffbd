export const askForApprovalWords = {
  text: 'You can propose the same request. It runs once others have approved it.',
  reason: 'Why it should be approved',
  reasonHint: 'The approvers read it.',
  ask: 'Ask for approval',
  asked: 'You have asked for approval.',
  open: 'Open the proposal',
} as const

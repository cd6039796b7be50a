import * as errors from '@tallystick/contracts/errors'
import { explain } from './explanation.ts'

/** Explanations of the pool's errors about partners. */
export const partnerExplanations = [
  explain(errors.PartnerFeeManager__PartnerIdNotExists, {
    title: 'The partner does not exist',
    message: 'No partner has this id on this pool. Check partnerId, or lend without a partner.',
  }),
  explain(errors.PartnerFeeManager__InvalidFee, {
    title: 'The partner’s fee is invalid',
    message: 'The fee is above the maximum. Choose a lower one.',
  }),
  explain(errors.PartnerFeeManager__NotPartnerOwner, {
    title: 'The partner is not yours',
    message: 'Only the owner of a partner can change it. Send the transaction from that wallet.',
  }),
  explain(errors.PartnerFeeManager__SameFee, {
    title: 'The partner already has this fee',
    message: 'Nothing would change. Pass another fee.',
  }),
  explain(errors.PartnerFeeManager__SameVaultAddress, {
    title: 'The partner already has this vault',
    message: 'Nothing would change. Pass another vault.',
  }),
  explain(errors.PartnerFeeManager__SameOwner, {
    title: 'The partner already has this owner',
    message: 'Nothing would change. Pass another owner.',
  }),
  explain(errors.PartnerFeeManager__ZeroAddress, {
    title: 'The partner’s address is missing',
    message: 'The vault or the new owner of a partner is the zero address. Pass an account that exists.',
  }),
]

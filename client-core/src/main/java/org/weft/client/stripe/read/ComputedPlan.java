package org.weft.client.stripe.read;

/**
 * A plan that computes with several units. They have to be of one state of the stripe, so beside a
 * writer it looks at them a second time (P 5.6).
 */
abstract class ComputedPlan implements PiecePlan {
  private boolean disturbed;
  private boolean looked;

  /** The units that were read do not belong to one state of the stripe. */
  final void disturb() {
    disturbed = true;
  }

  /** True if that was said. */
  final boolean isDisturbed() {
    return disturbed;
  }

  /** The second look has been had. */
  final void markLooked() {
    looked = true;
  }

  final boolean isLooked() {
    return looked;
  }
}

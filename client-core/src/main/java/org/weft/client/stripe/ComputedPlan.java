package org.weft.client.stripe;

/**
 * A plan that computes with several units: they have to be of one state of the stripe, so that
 * beside a writer they are looked at a second time (P 5.6).
 */
interface ComputedPlan extends PiecePlan {
  /** The units that were read do not belong to one state of the stripe. */
  void disturb();

  /** True if that was said. */
  boolean isDisturbed();

  /** The second look has been had. */
  void markLooked();

  boolean isLooked();
}

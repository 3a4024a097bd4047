package org.weft.osd.store.engine;

/** Seeds of the tests that compare a store with models of it, for whoever runs many of them. */
public final class StoreSeeds {
  private StoreSeeds() {}

  /** Random operations, and restarts, beside a model. */
  public static void model(long seed) throws Exception {
    new StoreModelTest().theStoreInMemoryDoesWhatTheModelDoes(seed);
  }

  /** The power goes under whatever the store is used for. */
  public static void powerLoss(long seed) throws Exception {
    new PowerLossTest().whatIsDurableSurvives(seed);
  }

  /** The power goes under pending writes. */
  public static void powerLossUnderPendingWrites(long seed) throws Exception {
    new PendingPowerLossTest().eachPendingWriteIsThereAsAWholeOrNotAtAll(seed);
  }
}

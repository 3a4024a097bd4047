package org.weft.osd.store.engine;

import org.weft.testkit.sim.SeedCheck;

/** Seeds of the tests that compare a store with models of it, for the simulator. */
public final class StoreSeeds {
  private StoreSeeds() {}

  /** Random operations, and restarts, beside a model. */
  public static final class Model implements SeedCheck {
    @Override
    public String rule() {
      return "a store differs from its model";
    }

    @Override
    public void run(long seed) throws Exception {
      new StoreModelTest().theStoreInMemoryDoesWhatTheModelDoes(seed);
    }
  }

  /** The power goes under whatever the store is used for. */
  public static final class PowerLoss implements SeedCheck {
    @Override
    public String rule() {
      return "a store lost what was durable";
    }

    @Override
    public void run(long seed) throws Exception {
      new PowerLossTest().durableBytesSurviveAPowerLoss(seed);
    }
  }

  /** The power goes under pending writes. */
  public static final class PendingPowerLoss implements SeedCheck {
    @Override
    public String rule() {
      return "a pending write is neither there nor gone";
    }

    @Override
    public void run(long seed) throws Exception {
      new PendingPowerLossTest().aPowerLossKeepsAPendingWriteWholeOrNotAtAll(seed);
    }
  }
}

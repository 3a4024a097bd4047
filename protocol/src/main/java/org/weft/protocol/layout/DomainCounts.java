package org.weft.protocol.layout;

/**
 * How many OSDs, hosts and racks there are, and what follows for parity groups (P 4.1). Managers
 * place by it, and SysMgr and tools say by it what is in force.
 */
public record DomainCounts(int osds, int hosts, int racks) {
  /** Domains left out of each group, so that a lost component has somewhere to go. */
  public static final int SPARES = 1;

  public int of(FaultDomain domain) {
    return switch (domain) {
      case OSD -> osds;
      case HOST -> hosts;
      case RACK -> racks;
    };
  }

  /**
   * Components of a group of a new file that leaves its width open. The largest domain that may
   * narrow it counts, if there are enough of it to carry the parity.
   *
   * @throws IllegalArgumentException if there are too few OSDs for the parity
   */
  public int width(FaultDomain.Wish wish, int parityUnits) {
    for (FaultDomain domain : wish.narrowing().downwards()) {
      boolean bearsLoss = of(domain) > parityUnits && of(domain) > 1;
      if (bearsLoss || domain == FaultDomain.OSD) {
        return Width.choose(of(domain), parityUnits, SPARES);
      }
    }
    throw new AssertionError(wish);
  }

  /** The largest wanted domain of which a group of that width finds one for each component. */
  public FaultDomain inForce(FaultDomain.Wish wish, int width) {
    return wish.largest().downwards().stream()
        .filter(domain -> of(domain) >= width)
        .findFirst()
        .orElse(FaultDomain.OSD);
  }
}

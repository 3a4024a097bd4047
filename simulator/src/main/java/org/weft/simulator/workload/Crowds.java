package org.weft.simulator.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The large directories of a world; none where clients have other habits. */
public final class Crowds {
  private static final String PREFIX = "/crowd-";
  private static final int MAX_CROWDS = 2;

  private final List<Crowd> crowds = new ArrayList<>();

  Crowds(RandomGenerator random, int owners) {
    int count = 1 + random.nextInt(MAX_CROWDS);
    for (int number = 0; number < count; number++) {
      crowds.add(new Crowd(PREFIX + number, owners, random));
    }
  }

  /** True for the path of such a directory, whether there is one or not. */
  static boolean isCrowd(String path) {
    return path.startsWith(PREFIX);
  }

  Crowd any(RandomGenerator random) {
    return crowds.get(random.nextInt(crowds.size()));
  }

  public List<Crowd> all() {
    return crowds;
  }

  public Optional<Crowd> at(String path) {
    return crowds.stream().filter(crowd -> crowd.path().equals(path)).findFirst();
  }
}

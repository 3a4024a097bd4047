package org.weft.metadata.directory;

import java.util.random.RandomGenerator;

/**
 * The secret that a directory's hash is keyed with, so that no user can choose names that collide.
 */
public record HashKey(long k0, long k1) {
  /** Drawn once, when the record that makes the directory is made; replay reads it from there. */
  public static HashKey draw(RandomGenerator random) {
    return new HashKey(random.nextLong(), random.nextLong());
  }

  @Override
  public String toString() {
    return "HashKey[]";
  }
}

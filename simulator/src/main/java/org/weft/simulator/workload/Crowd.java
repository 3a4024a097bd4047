package org.weft.simulator.workload;

import java.util.random.RandomGenerator;
import org.weft.simulator.check.CrowdHistory;

/** A directory that grows to many names, shrinks to a few, and grows again. */
public final class Crowd {
  /** Names in a directory at most; the largest need index nodes of their own. */
  private static final int[] SIZES = {40, 150, 400, 400, 1_000, 2_600};

  private static final int LARGE = 1_000;
  private static final int MAX_LEFT = 6;
  private static final int MAX_NAME_BYTES = 255;
  private static final int MIN_BURST = 20;
  private static final int MAX_BURST = 260;
  private static final int BURSTS_TO_GROW = 8;

  private final String path;
  private final int owners;
  private final int size;
  private final CrowdHistory history;
  private boolean made;
  private boolean growing = true;
  private int turningPoint;

  Crowd(String path, int owners, RandomGenerator random) {
    this.path = path;
    this.owners = owners;
    this.size = SIZES[random.nextInt(SIZES.length)];
    this.history = new CrowdHistory(path);
    this.turningPoint = size;
  }

  String path() {
    return path;
  }

  public CrowdHistory history() {
    return history;
  }

  boolean isMade() {
    return made;
  }

  void made() {
    made = true;
  }

  /** How many different names one owner uses. */
  int namesOfOwner() {
    return Math.max(2, size * 5 / 4 / owners);
  }

  /** How many names change at once at most. */
  int mostBurst() {
    return Math.max(MIN_BURST, Math.min(MAX_BURST, size / BURSTS_TO_GROW));
  }

  /** True while there are to be more names, false while there are to be fewer. */
  boolean isGrowing(RandomGenerator random) {
    if (growing && history.present() >= turningPoint) {
      growing = false;
      turningPoint = random.nextInt(MAX_LEFT + 1);
    } else if (!growing && history.present() <= turningPoint) {
      growing = true;
      turningPoint = 1 + random.nextInt(size);
    }
    return growing;
  }

  /** A name of that owner, always the same for a number; many have the greatest length. */
  String name(String owner, int number) {
    String begin = owner + "-" + number;
    boolean isLong = size >= LARGE || number % 3 == 0;
    return isLong ? begin + "~".repeat(MAX_NAME_BYTES - begin.length()) : begin;
  }
}

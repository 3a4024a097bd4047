package org.weft.metadata.repair;

import java.util.List;

/**
 * What became of bad blocks of a volume, since its manager serves it. Immutable.
 *
 * @param found blocks of 4 KiB that OSDs reported, each counted once
 * @param repaired of these, written anew
 * @param waiting blocks that are bad now and are to be written anew
 * @param hopeless blocks that are bad now and cannot be written anew
 * @param words sentences on some of these blocks
 */
public record DamageProgress(
    long found, long repaired, long waiting, long hopeless, List<String> words) {
  public static final DamageProgress NONE = new DamageProgress(0, 0, 0, 0, List.of());

  public DamageProgress {
    words = List.copyOf(words);
  }
}

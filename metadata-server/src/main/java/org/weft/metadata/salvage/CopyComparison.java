package org.weft.metadata.salvage;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.Steps;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Compares the copies of one directory, block by block (P 6.8e). The LSN of the header alone says
 * too little: a copy that was being caught up has the newest header, and older blocks behind it. A
 * copy whose header cannot be read is at least as new as the newest of its blocks. If that is newer
 * than the headers of all others, they are out of date, and none is believed in its place. It may
 * be newer than its blocks say, since a removal that empties a bucket may change the header alone.
 * So each such copy that is not provably the newest is reported. On the volume's thread.
 */
final class CopyComparison {
  private static final int FIRST_BLOCKS = 4;
  private static final int BLOCKS_AT_ONCE = 64;

  private final CheckedVolume volume;
  private final Steps steps;
  private final ObjectId directory;

  /** What each copy has: LSNs of the blocks that can be used, by number. */
  private final SortedMap<OsdId, Copy> copies = new TreeMap<>();

  private static final class Copy {
    private final SortedMap<Integer, Lsn> lsns = new TreeMap<>();
    private final SortedSet<Integer> broken = new TreeSet<>();
    private int end;

    Optional<Lsn> header() {
      return Optional.ofNullable(lsns.get(DirectoryBlock.HEADER));
    }

    boolean isHeaderBroken() {
      return broken.contains(DirectoryBlock.HEADER);
    }

    Optional<Lsn> newestBlock() {
      return lsns.values().stream().max(Lsn::compareTo);
    }

    /** How new it is, as far as that is known; empty: nothing says so. */
    Optional<Lsn> age() {
      return isHeaderBroken() ? newestBlock() : header();
    }

    void heard(ObjectId directory, int number, byte[] block) {
      if (DirectoryBlock.problemOf(directory, number, block).isPresent()) {
        broken.add(number);
        return;
      }
      lsns.put(number, DirectoryBlock.lsnOf(block));
      if (number == DirectoryBlock.HEADER) {
        end = DirectoryBlock.endBlockOf(block);
      }
    }
  }

  /**
   * What came of it.
   *
   * @param behind copies that are out of date
   * @param readable each block is in one of the others
   * @param doubtful copies whose header cannot be read, so that they may have been newer than those
   *     that count
   */
  record Outcome(List<OsdId> behind, boolean readable, List<OsdId> doubtful) {}

  /**
   * @param osds those that answer
   */
  CopyComparison(CheckedVolume volume, Steps steps, SortedSet<OsdId> osds, Attributes directory) {
    this.volume = volume;
    this.steps = steps;
    this.directory = directory.object();
    volume.directoryCopies(directory.map()).keySet().stream()
        .filter(osds::contains)
        .forEach(osd -> copies.put(osd, new Copy()));
  }

  /** Fails if an OSD does not answer. */
  CompletionStage<Outcome> run() {
    return read(copies, 0, FIRST_BLOCKS)
        .thenComposeAsync(nothing -> readRest(), steps.home())
        .thenApplyAsync(nothing -> outcome(), steps.home());
  }

  private CompletionStage<Void> readRest() {
    SortedMap<OsdId, Copy> headless = new TreeMap<>(copies);
    headless.values().removeIf(copy -> !copy.isHeaderBroken());
    return readHeadless(headless, FIRST_BLOCKS)
        .thenComposeAsync(nothing -> readNewest(), steps.home());
  }

  private CompletionStage<Void> readNewest() {
    SortedMap<OsdId, Copy> newest = newest();
    newest.values().removeIf(Copy::isHeaderBroken);
    int end = end(newest);
    List<Integer> parts = new ArrayList<>();
    for (int from = FIRST_BLOCKS; from < end; from += BLOCKS_AT_ONCE) {
      parts.add(from);
    }
    return steps.each(parts, from -> read(newest, from, Math.min(end, from + BLOCKS_AT_ONCE)));
  }

  /**
   * Where they end stands in the headers that cannot be read: they are read until nothing comes.
   */
  private CompletionStage<Void> readHeadless(SortedMap<OsdId, Copy> headless, int from) {
    if (headless.isEmpty()) {
      return CompletableFuture.completedStage(null);
    }
    int before = heard(headless);
    return read(headless, from, from + BLOCKS_AT_ONCE)
        .thenComposeAsync(
            nothing ->
                heard(headless) > before
                    ? readHeadless(headless, from + BLOCKS_AT_ONCE)
                    : CompletableFuture.<Void>completedStage(null),
            steps.home());
  }

  private static int heard(SortedMap<OsdId, Copy> headless) {
    return headless.values().stream().mapToInt(copy -> copy.lsns.size() + copy.broken.size()).sum();
  }

  /**
   * Those with the newest header, or with newer blocks than any header that can be read; none if
   * none has either.
   */
  private SortedMap<OsdId, Copy> newest() {
    Optional<Lsn> header =
        copies.values().stream().flatMap(copy -> copy.header().stream()).max(Lsn::compareTo);
    Optional<Lsn> lsn =
        copies.values().stream().flatMap(copy -> copy.age().stream()).max(Lsn::compareTo);
    SortedMap<OsdId, Copy> newest = new TreeMap<>(copies);
    newest
        .values()
        .removeIf(
            copy ->
                lsn.isEmpty()
                    || !copy.age().equals(lsn)
                    || copy.isHeaderBroken() && lsn.equals(header));
    return newest;
  }

  /**
   * The header cannot be read, and no block tells of a newer state: a removal may have left none.
   */
  private List<OsdId> doubtful() {
    SortedMap<OsdId, Copy> newest = newest();
    List<OsdId> doubtful = new ArrayList<>();
    copies.forEach(
        (osd, copy) -> {
          if (copy.isHeaderBroken() && !newest.containsKey(osd)) {
            doubtful.add(osd);
          }
        });
    return doubtful;
  }

  private static int end(SortedMap<OsdId, Copy> newest) {
    return newest.values().stream().mapToInt(copy -> copy.end).max().orElse(0);
  }

  private CompletionStage<Void> read(SortedMap<OsdId, Copy> from, int first, int end) {
    List<Integer> numbers = IntStream.range(first, end).boxed().toList();
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    from.forEach((osd, copy) -> asked.add(read(osd, copy, numbers).toCompletableFuture()));
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
  }

  /** A broken block spoils the answer for all that were asked for with it. */
  private CompletionStage<Void> read(OsdId osd, Copy copy, List<Integer> numbers) {
    return volume
        .blocks(osd, directory, numbers)
        .handleAsync(
            (blocks, failure) -> {
              if (failure == null) {
                blocks.forEach((number, block) -> copy.heard(directory, number, block));
              } else if (isBroken(failure)) {
                return numbers.size() > 1
                    ? steps.each(numbers, number -> read(osd, copy, List.of(number)))
                    : broken(copy, numbers.get(0));
              }
              return CompletableFuture.<Void>completedStage(null);
            },
            steps.home())
        .thenCompose(next -> next);
  }

  private static CompletionStage<Void> broken(Copy copy, int number) {
    copy.broken.add(number);
    return CompletableFuture.completedStage(null);
  }

  /** False: there is no copy. */
  private static boolean isBroken(Throwable failure) {
    WeftException cause = WeftException.of(failure);
    if (cause.code() == ErrorCode.NO_SUCH_OBJECT) {
      return false;
    }
    if (cause.code().isOfBlock()) {
      return true;
    }
    throw new CompletionException(cause);
  }

  private Outcome outcome() {
    SortedMap<OsdId, Copy> newest = newest();
    SortedMap<OsdId, Copy> whole = new TreeMap<>(newest);
    int end = end(newest);
    for (int number = DirectoryBlock.HEADER; number < end; number++) {
      int block = number;
      Optional<Lsn> lsn =
          newest.values().stream()
              .flatMap(copy -> Optional.ofNullable(copy.lsns.get(block)).stream())
              .max(Lsn::compareTo);
      // A broken one is read elsewhere; an older one would be believed.
      whole
          .values()
          .removeIf(
              copy ->
                  !copy.broken.contains(block)
                      && !Optional.ofNullable(copy.lsns.get(block)).equals(lsn));
    }
    SortedMap<OsdId, Copy> used = whole.isEmpty() ? newest : whole;
    List<OsdId> behind = copies.keySet().stream().filter(osd -> !used.containsKey(osd)).toList();
    boolean readable =
        end > 0
            && IntStream.range(0, end)
                .allMatch(
                    block -> used.values().stream().anyMatch(copy -> copy.lsns.containsKey(block)));
    // Where no copy is left nothing is to be brought from one to another.
    return new Outcome(used.isEmpty() ? List.of() : behind, readable, doubtful());
  }
}

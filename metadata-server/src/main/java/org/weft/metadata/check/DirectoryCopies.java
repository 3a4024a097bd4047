package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * Compares the copies of a directory block by block, some blocks at a time. Copies that are known
 * to be out of date are left out. On the volume's thread.
 */
final class DirectoryCopies {
  private static final int BLOCKS_AT_ONCE = 64;

  private final CheckedVolume volume;
  private final Steps steps;
  private final SecondLook second;
  private final FindingList findings;
  private final Pace pace;

  DirectoryCopies(DirectoryWalk.Parts parts) {
    this.volume = parts.volume();
    this.steps = parts.steps();
    this.second = parts.second();
    this.findings = parts.findings();
    this.pace = parts.pace();
  }

  /** Completes when the copies are compared; differences are reported. */
  CompletionStage<Void> compare(Attributes directory, LiveNode live) {
    return read(directory.map(), directory.object(), live, List.of())
        .thenCompose(headers -> part(directory, 0, Math.max(1, headers.endBlock())));
  }

  private CompletionStage<Void> part(Attributes directory, int from, int end) {
    if (from >= end || !pace.goesOn()) {
      return CompletableFuture.completedStage(null);
    }
    List<Integer> numbers = new ArrayList<>();
    for (int number = from; number < Math.min(end, from + BLOCKS_AT_ONCE); number++) {
      numbers.add(number);
    }
    return read(directory.map(), directory.object(), volume.live(directory.object()), numbers)
        .thenCompose(
            copies ->
                isSame(directory.object(), copies, numbers)
                    ? CompletableFuture.completedStage(null)
                    : again(directory.object(), numbers))
        .thenCompose(nothing -> pace.breathe())
        .thenComposeAsync(nothing -> part(directory, from + BLOCKS_AT_ONCE, end), steps.home());
  }

  private static boolean isSame(
      ObjectId directory, DirectoryBlockCopies copies, List<Integer> numbers) {
    BlockVersions versions = new BlockVersions(directory);
    versions.saw(copies);
    return versions.differences(copies, numbers).isEmpty();
  }

  /**
   * A difference that two looks in a row have found is reported: no copy can have been caught up
   * between them.
   */
  private CompletionStage<Void> again(ObjectId directory, List<Integer> numbers) {
    BlockVersions versions = new BlockVersions(directory);
    return look(versions, numbers)
        .thenCompose(
            first ->
                first.isEmpty()
                    ? CompletableFuture.completedStage(List.<BlockVersions.Difference>of())
                    : look(versions, numbers)
                        .thenApply(all -> all.stream().filter(each -> each.isIn(first)).toList()))
        .thenCompose(confirmed -> steps.each(confirmed, each -> second.tell(each.what())));
  }

  /** Where its copies are, and which of them are out of date. */
  private record Place(StorageMap map, LiveNode live) {}

  /** The place of a directory that exists. */
  private CompletionStage<Optional<Place>> place(ObjectId directory) {
    return volume
        .states(List.of(directory), Map.of())
        .thenApply(
            states -> {
              NodeState state = states.get(directory);
              if (state == null) {
                findings.unchecked(
                    "copies of directory %s: OSDs with its attributes do not reply"
                        .formatted(directory));
              }
              return Optional.ofNullable(state)
                  .filter(now -> !now.live().removed())
                  .flatMap(
                      now ->
                          now.attributes()
                              .filter(Attributes::isDirectory)
                              .map(node -> new Place(node.map(), now.live())));
            });
  }

  /**
   * What differs although all that was decided before is on the OSDs. Copies that lagged before or
   * do afterwards are left out, and so are all if the directory has moved meanwhile.
   */
  private CompletionStage<List<BlockVersions.Difference>> look(
      BlockVersions versions, List<Integer> numbers) {
    ObjectId directory = versions.directory();
    return place(directory)
        .thenCompose(
            before ->
                before.isEmpty()
                    ? CompletableFuture.completedStage(List.of())
                    : read(before.get().map(), directory, before.get().live(), numbers)
                        .thenCompose(
                            earlier -> {
                              versions.saw(earlier);
                              return volume.flushed();
                            })
                        .thenCompose(
                            nothing ->
                                read(before.get().map(), directory, before.get().live(), numbers))
                        .thenCompose(
                            copies ->
                                place(directory)
                                    .thenApply(
                                        after ->
                                            after.isEmpty()
                                                    || !after.get().map().equals(before.get().map())
                                                ? List.of()
                                                : versions.differences(
                                                    copies.without(after.get().live()), numbers))));
  }

  /** The header, and these; of the copies that answer. */
  private CompletionStage<DirectoryBlockCopies> read(
      StorageMap map, ObjectId directory, LiveNode live, List<Integer> numbers) {
    DirectoryBlockCopies copies = DirectoryBlockCopies.none();
    List<Integer> wanted = new ArrayList<>(List.of(DirectoryBlock.HEADER));
    numbers.stream().filter(number -> number != DirectoryBlock.HEADER).forEach(wanted::add);
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (OsdId osd : volume.directoryCopies(map).keySet()) {
      if (!live.explains(osd) && volume.serving().contains(osd)) {
        asked.add(
            volume
                .blocks(osd, directory, wanted)
                .handle((blocks, failure) -> heard(copies, osd, blocks, failure))
                .toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(nothing -> copies);
  }

  private static Void heard(
      DirectoryBlockCopies copies,
      OsdId osd,
      SortedMap<Integer, byte[]> blocks,
      Throwable failure) {
    if (failure == null) {
      copies.blocks().put(osd, blocks);
    } else if (WeftException.of(failure).code() == ErrorCode.BAD_CHECKSUM) {
      copies.damaged().put(osd, WeftException.of(failure).getMessage());
    }
    return null;
  }
}

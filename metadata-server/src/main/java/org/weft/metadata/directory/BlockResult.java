package org.weft.metadata.directory;

import java.util.List;
import java.util.function.Function;

/** What an operation on a directory gives: its value, or the blocks without which it cannot run. */
public sealed interface BlockResult<T> {
  /** The operation ran. */
  record Done<T>(T value) implements BlockResult<T> {}

  /** The operation changed nothing. The caller loads these blocks and runs it again. */
  record NeedBlocks<T>(List<Integer> blocks) implements BlockResult<T> {
    public NeedBlocks {
      blocks = List.copyOf(blocks);
      if (blocks.isEmpty()) {
        throw new IllegalArgumentException("a need names blocks");
      }
    }
  }

  static <T> BlockResult<T> done(T value) {
    return new Done<>(value);
  }

  static <T> BlockResult<T> need(List<Integer> blocks) {
    return new NeedBlocks<>(blocks);
  }

  /** Blocks to load; empty if the operation ran. */
  default List<Integer> blocks() {
    return this instanceof NeedBlocks<T> need ? need.blocks() : List.of();
  }

  /** The value; an {@link IllegalStateException} if the operation did not run. */
  default T value() {
    if (this instanceof Done<T> done) {
      return done.value();
    }
    throw new IllegalStateException("the operation needs blocks: " + this);
  }

  /** Goes on with the value, or passes the need on. */
  default <U> BlockResult<U> then(Function<? super T, BlockResult<U>> next) {
    return this instanceof Done<T> done ? next.apply(done.value()) : need(blocks());
  }
}

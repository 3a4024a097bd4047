package org.weft.nfs.locks;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.LockMode;
import org.weft.client.lock.RangeHolder;
import org.weft.client.lock.RangeLocks;
import org.weft.protocol.layout.ByteRange;

/** One file as one owner locks its bytes. It has what the gateway uses of {@link RangeLocks}. */
public interface OwnerLocks {
  /** See {@link RangeLocks#lockAgain}. */
  CompletableFuture<Void> lockAgain(ByteRange range, LockMode mode, Duration patience);

  /** See {@link RangeLocks#reclaim}. */
  CompletableFuture<Boolean> reclaim(ByteRange range, LockMode mode);

  /** See {@link RangeLocks#takeOver}. */
  CompletableFuture<Boolean> takeOver(ByteRange range, LockMode mode);

  /** See {@link RangeLocks#unlock}. */
  CompletableFuture<Boolean> unlock(ByteRange range);

  /** See {@link RangeLocks#test}. */
  CompletableFuture<Optional<RangeHolder>> test(ByteRange range, LockMode mode);

  /** See {@link RangeLocks#isHeld}. */
  boolean isHeld();

  /** By the client library. */
  static OwnerLocks of(RangeLocks file) {
    return new OwnerLocks() {
      private boolean isExclusive(LockMode mode) {
        return mode == LockMode.EXCLUSIVE;
      }

      @Override
      public CompletableFuture<Void> lockAgain(ByteRange range, LockMode mode, Duration patience) {
        return file.lockAgain(range, isExclusive(mode), patience);
      }

      @Override
      public CompletableFuture<Boolean> reclaim(ByteRange range, LockMode mode) {
        return file.reclaim(range, isExclusive(mode));
      }

      @Override
      public CompletableFuture<Boolean> takeOver(ByteRange range, LockMode mode) {
        return file.takeOver(range, isExclusive(mode));
      }

      @Override
      public CompletableFuture<Boolean> unlock(ByteRange range) {
        return file.unlock(range);
      }

      @Override
      public CompletableFuture<Optional<RangeHolder>> test(ByteRange range, LockMode mode) {
        return file.test(range, isExclusive(mode));
      }

      @Override
      public boolean isHeld() {
        return file.isHeld();
      }
    };
  }
}

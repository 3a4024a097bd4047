package org.weft.nfs.locks;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.LockHolder;
import org.weft.client.LockMode;
import org.weft.client.LockedFile;
import org.weft.protocol.layout.ByteRange;

/** One file as one owner locks its bytes. It has what the gateway uses of {@link LockedFile}. */
public interface OwnerLocks {
  /** See {@link LockedFile#lockAgain}. */
  CompletableFuture<Void> lockAgain(ByteRange range, LockMode mode, Duration patience);

  /** See {@link LockedFile#reclaim}. */
  CompletableFuture<Boolean> reclaim(ByteRange range, LockMode mode);

  /** See {@link LockedFile#takeOver}. */
  CompletableFuture<Boolean> takeOver(ByteRange range, LockMode mode);

  /** See {@link LockedFile#unlock}. */
  CompletableFuture<Boolean> unlock(ByteRange range);

  /** See {@link LockedFile#test}. */
  CompletableFuture<Optional<LockHolder>> test(ByteRange range, LockMode mode);

  /** See {@link LockedFile#isHeld}. */
  boolean isHeld();

  /** By the client library. */
  static OwnerLocks of(LockedFile file) {
    return new OwnerLocks() {
      @Override
      public CompletableFuture<Void> lockAgain(ByteRange range, LockMode mode, Duration patience) {
        return file.lockAgain(range, mode, patience);
      }

      @Override
      public CompletableFuture<Boolean> reclaim(ByteRange range, LockMode mode) {
        return file.reclaim(range, mode);
      }

      @Override
      public CompletableFuture<Boolean> takeOver(ByteRange range, LockMode mode) {
        return file.takeOver(range, mode);
      }

      @Override
      public CompletableFuture<Boolean> unlock(ByteRange range) {
        return file.unlock(range);
      }

      @Override
      public CompletableFuture<Optional<LockHolder>> test(ByteRange range, LockMode mode) {
        return file.test(range, mode);
      }

      @Override
      public boolean isHeld() {
        return file.isHeld();
      }
    };
  }
}

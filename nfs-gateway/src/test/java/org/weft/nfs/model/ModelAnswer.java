package org.weft.nfs.model;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;

/**
 * What the model says of an operation, as a client of NFS is told it. The numbers are written here
 * from RFC 1813 section 2.6, and not taken from the gateway, which is compared with them.
 *
 * @param status of NFS; 0 if it was done
 * @param answer null if it was not done
 * @param touched what a refusal tells of the nodes that it looked at
 */
public record ModelAnswer<T>(int status, T answer, Touched touched) {
  private static final Map<FileError, Integer> STATUS = new EnumMap<>(FileError.class);

  static {
    STATUS.put(FileError.NOT_PERMITTED, Nfs3Client.PERM);
    STATUS.put(FileError.NOT_FOUND, Nfs3Client.NOENT);
    STATUS.put(FileError.ACCESS_DENIED, Nfs3Client.ACCES);
    STATUS.put(FileError.EXISTS, Nfs3Client.EXIST);
    STATUS.put(FileError.CROSS_VOLUME, Nfs3Client.XDEV);
    STATUS.put(FileError.NOT_DIRECTORY, Nfs3Client.NOTDIR);
    STATUS.put(FileError.IS_DIRECTORY, Nfs3Client.ISDIR);
    STATUS.put(FileError.INVALID, Nfs3Client.INVAL);
    STATUS.put(FileError.TOO_LARGE, Nfs3Client.FBIG);
    STATUS.put(FileError.NOT_EMPTY, Nfs3Client.NOTEMPTY);
    STATUS.put(FileError.STALE, Nfs3Client.STALE);
    STATUS.put(FileError.GUARD_FAILED, Nfs3Client.NOT_SYNC);
    STATUS.put(FileError.UNSUPPORTED, Nfs3Client.NOTSUPP);
  }

  /**
   * Of an operation that is over.
   *
   * @throws AssertionError if it failed as no operation of the model may fail
   */
  public static <T> ModelAnswer<T> of(CompletionStage<T> done) {
    try {
      return new ModelAnswer<>(Nfs3Client.OK, done.toCompletableFuture().join(), Touched.NONE);
    } catch (CompletionException e) {
      FileException failure = FileException.of(e);
      Integer status = STATUS.get(failure.error());
      if (status == null) {
        throw new AssertionError("the model fails", failure);
      }
      return new ModelAnswer<>(status, null, failure.touched());
    }
  }

  public boolean isDone() {
    return status == Nfs3Client.OK;
  }
}

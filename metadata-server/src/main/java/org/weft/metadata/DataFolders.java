package org.weft.metadata;

import java.io.IOException;
import java.util.List;
import org.weft.protocol.seam.SegmentDirectory;

/**
 * What a manager's data directory is made of: files, and folders of files. The process that opened
 * it has it alone until it is closed. Thread-safe.
 */
public interface DataFolders extends AutoCloseable {
  /** Names the machine's boot and the folder; a copy of the folder has another name. */
  default String life(org.weft.protocol.seam.BootIdentity boot) {
    return boot.bootId();
  }

  /** The files that lie in no folder. */
  SegmentDirectory files();

  /** The files of a folder, which is made if there is none. */
  SegmentDirectory folder(String name) throws IOException;

  boolean hasFolder(String name);

  /** Names of the folders, sorted. */
  List<String> folders() throws IOException;

  /** Deletes a folder, if there is one, and its files. */
  void deleteFolder(String name) throws IOException;

  /** Renames a folder; there is none of the new name. Lasting once {@link #files} are synced. */
  void renameFolder(String from, String to) throws IOException;

  /** Where a file or folder is, for people. */
  String placeOf(String name);

  @Override
  void close() throws IOException;
}

package org.weft.simulator.node;

import java.io.IOException;
import java.util.List;
import org.weft.metadata.DataFolders;
import org.weft.metadata.journal.LookedAtFiles;
import org.weft.protocol.seam.SegmentDirectory;

/** A manager's data directory on a simulated disk, of which nothing can be changed. */
record LookedAtDisk(DataFolders disk) implements DataFolders {
  @Override
  public SegmentDirectory files() {
    return new LookedAtFiles(disk.placeOf(""), disk.files());
  }

  @Override
  public SegmentDirectory folder(String name) throws IOException {
    if (!disk.hasFolder(name)) {
      throw LookedAtFiles.refused(placeOf(name));
    }
    return new LookedAtFiles(placeOf(name), disk.folder(name));
  }

  @Override
  public boolean hasFolder(String name) {
    return disk.hasFolder(name);
  }

  @Override
  public List<String> folders() throws IOException {
    return disk.folders();
  }

  @Override
  public void deleteFolder(String name) throws IOException {
    throw LookedAtFiles.refused(placeOf(name));
  }

  @Override
  public void renameFolder(String from, String to) throws IOException {
    throw LookedAtFiles.refused(placeOf(from));
  }

  @Override
  public String placeOf(String name) {
    return disk.placeOf(name);
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }
}

package org.weft.hadoop;

import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.weft.hadoop.config.LayoutOptions;

/**
 * {@code createFile(path)}: besides Hadoop's own settings it knows {@link LayoutOptions}, as {@code
 * opt} or as {@code must}. Replication, block and buffer size have no meaning here and are ignored.
 */
public final class CreateBuilder
    extends FSDataOutputStreamBuilder<FSDataOutputStream, CreateBuilder> {
  private final WeftHadoopFileSystem fileSystem;

  CreateBuilder(WeftHadoopFileSystem fileSystem, Path path) {
    super(fileSystem, path);
    this.fileSystem = fileSystem;
  }

  @Override
  public CreateBuilder getThisBuilder() {
    return this;
  }

  /**
   * Makes the file.
   *
   * @throws IllegalArgumentException for an option that must be kept and is not known, or has a
   *     value that cannot be
   */
  @Override
  public FSDataOutputStream build() throws IOException {
    rejectUnknownMandatoryKeys(LayoutOptions.keys(), " for " + getPath());
    EnumSet<CreateFlag> flags = getFlags();
    return fileSystem.create(
        getPath(),
        new FileCreation(
            fileSystem.masked(getPermission(), FsPermission.getFileDefault()),
            flags,
            isRecursive(),
            LayoutOptions.ofBuilder(getOptions())));
  }
}

package org.weft.hadoop;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.hadoop.config.Settings;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * How a file is made, as Hadoop's ways of saying so come together here.
 *
 * @param permission with the umask taken off already; null: the usual one
 * @param createParents directories missing above it are made, too
 * @param layout empty: as the configuration says, or the directory
 */
record FileCreation(
    FsPermission permission,
    EnumSet<CreateFlag> flags,
    boolean createParents,
    Optional<LayoutSpec> layout) {

  WeftOutputStream open(WeftFiles files, WeftPath path, Settings settings) throws IOException {
    CreateFlag.validate(flags);
    if (flags.contains(CreateFlag.APPEND)) {
      return appendOrCreate(files, path, settings);
    }
    if (!flags.contains(CreateFlag.CREATE)) {
      files.attributes(path);
    }
    return create(files, path, settings, flags.contains(CreateFlag.OVERWRITE));
  }

  private WeftOutputStream appendOrCreate(WeftFiles files, WeftPath path, Settings settings)
      throws IOException {
    try {
      return append(files, path, settings);
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NOT_FOUND && flags.contains(CreateFlag.CREATE)) {
        return create(files, path, settings, false);
      }
      throw e;
    }
  }

  /** Fails soon if another client writes the file, as in HDFS. */
  static WeftOutputStream append(WeftFiles files, WeftPath path, Settings settings)
      throws IOException {
    return files.append(path, OptionalInt.of(settings.appendWaitMillis()));
  }

  private WeftOutputStream create(
      WeftFiles files, WeftPath path, Settings settings, boolean overwrite) throws IOException {
    AskedMode asked = AskedMode.of(permission == null ? FsPermission.getFileDefault() : permission);
    Optional<LayoutSpec> wish = layout.isPresent() ? layout : settings.layout();
    if (asked.agreesWith(settings.umask())) {
      return files.create(path, new CreateOptions(overwrite, createParents, asked.mode(), wish));
    }
    // The umask still counts for the directories above. The mode itself comes with the file: a
    // second request for it could fail, and leave a file that is being written.
    if (createParents && path.parent().isPresent()) {
      files.mkdirs(path.parent().get(), WeftFiles.DIRECTORY_MODE);
    }
    return files
        .withUmask(asked.umask())
        .create(path, new CreateOptions(overwrite, false, asked.mode(), wish));
  }
}

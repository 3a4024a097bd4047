package org.weft.bench.rebuild.model;

/**
 * What is rebuilt, and with what.
 *
 * @param osds all alike, numbered from 1
 * @param perHost of them on one host; divides them
 * @param dataUnits of a stripe; 0: by the number of OSDs, as for new files (P 4.1)
 * @param usedBytes on each OSD
 * @param fileBytes of each file; all lie in one parity group
 * @param diskBytesPerSecond that a disk moves, reading or writing
 * @param filesAtOnce of each volume ({@code repair.files-at-once})
 * @param sharePercent of the time in which a rebuild moves bytes ({@code repair.share})
 * @param volumes that the files are dealt out to, each with a manager of its own
 * @param managers that copy for each volume, its own included: each as many files at once
 * @param pieces that a component is cut into; more cost time to compute and change little
 * @param seed of all random numbers
 */
record ModelSettings(
    int osds,
    int perHost,
    int dataUnits,
    int parityUnits,
    long usedBytes,
    long fileBytes,
    double diskBytesPerSecond,
    int filesAtOnce,
    int sharePercent,
    int volumes,
    int managers,
    int pieces,
    long seed) {
  ModelSettings {
    if (perHost < 1 || osds % perHost != 0) {
      throw new IllegalArgumentException(
          "%d OSDs cannot be dealt out to hosts with %d each".formatted(osds, perHost));
    }
    if (volumes < 1 || managers < 1 || pieces < 1 || filesAtOnce < 1) {
      throw new IllegalArgumentException(
          "volumes, managers, pieces and files at once are at least 1, got %d, %d, %d and %d"
              .formatted(volumes, managers, pieces, filesAtOnce));
    }
    if (usedBytes < 1 || fileBytes < 1 || !(diskBytesPerSecond > 0)) {
      throw new IllegalArgumentException(
          "bytes of OSDs and files and the rate of disks are positive, got %d, %d and %s"
              .formatted(usedBytes, fileBytes, diskBytesPerSecond));
    }
  }

  ModelSettings withVolumes(int count) {
    return new ModelSettings(
        osds,
        perHost,
        dataUnits,
        parityUnits,
        usedBytes,
        fileBytes,
        diskBytesPerSecond,
        filesAtOnce,
        sharePercent,
        count,
        managers,
        pieces,
        seed);
  }

  ModelSettings withManagers(int count) {
    return new ModelSettings(
        osds,
        perHost,
        dataUnits,
        parityUnits,
        usedBytes,
        fileBytes,
        diskBytesPerSecond,
        filesAtOnce,
        sharePercent,
        volumes,
        count,
        pieces,
        seed);
  }

  ModelSettings withCode(int data, int parity) {
    return new ModelSettings(
        osds,
        perHost,
        data,
        parity,
        usedBytes,
        fileBytes,
        diskBytesPerSecond,
        filesAtOnce,
        sharePercent,
        volumes,
        managers,
        pieces,
        seed);
  }
}

/**
 * What a served volume puts in order beside requests. Files of writers that died are resolved, OSDs
 * that come back are compared (P 5.8, 5.9), lost components are rebuilt, files are checked and
 * scrubbed. The work itself is in {@code metadata.recovery}, {@code repair}, {@code check} and
 * others. The classes here connect it with a served volume. {@link
 * org.weft.metadata.serving.care.VolumeCare} begins and ends all of it. Uses {@code request} and
 * {@code sysmgr}. On the volume's thread.
 */
package org.weft.metadata.serving.care;

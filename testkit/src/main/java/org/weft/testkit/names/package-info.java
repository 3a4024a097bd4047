/**
 * The names of a file system and who may use them: the model that the real ones are compared with.
 */
package org.weft.testkit.names;
